"""Commands as forks of a process that has already imported them: a fifth of a second sooner than programs.

A command of the tests starts in a few milliseconds as a fork, and then is a process like any other: with its own
arguments, environment, folder, standard streams and exit status. Tests that look at the start of a program, send it
signals or limit it run the program itself. So does everything where there is no fork, and where coverage is measured.

`python -IS forks.py NAME PROGRAM ARGUMENTS...` is a command for shells: it passes its own streams on to a fork. Its
imports are few, since it is what starts each time.
"""

import atexit
import json
import os
import signal
import socket
import sys

_SOCKET = "LATTICEMETRIC_TEST_FORKS"
# A program reads these when it starts, a fork does not: if they differ, the fork becomes the program.
_READ_AT_START = ("PYTHON", "LC_", "LANG", "OPENBLAS", "OMP_", "MALLOC_", "LD_")
_LONGEST = 2**20


def _settings_of_start(environment):
    return {name: value for name, value in environment.items() if name.startswith(_READ_AT_START)}


# ---- The process that forks ----


def serve(listening):
    """Fork a process for each connection, until standard input ends with the process that started this one."""
    import gc
    import select

    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as commands do before they import NumPy
    _import_everything()
    del os.environ["OPENBLAS_NUM_THREADS"]
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks that answer
    while True:
        ready = select.select([listening, 0], [], [])[0]
        if 0 in ready:
            os._exit(0)
        connection, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            _answer(connection)
        connection.close()


def _import_everything():
    import pkgutil
    from contextlib import suppress
    from importlib import import_module

    import latticemetric

    for module in pkgutil.walk_packages(latticemetric.__path__, "latticemetric."):
        if not module.name.startswith(
            ("latticemetric.training", "latticemetric.parallel.dask", "latticemetric.grammars")
        ):
            with suppress(ImportError):  # an optional library is missing
                import_module(module.name)


def _forget_warnings():
    """Warn again of what an earlier command warned of: workers share this memory, commands do not."""
    from latticemetric.corpus import feature_weights, pairing
    from latticemetric.formats import columns, marks, partial_table

    of_pairs = (pairing._OF_FORMS, pairing._OF_SPACES, pairing._OF_MARKS)
    for warning in (*of_pairs, columns._OF_RANK, marks._WRITTEN, partial_table._LACKING, feature_weights._UNWEIGHTED):
        warning.forget()


def _answer(connection):
    """Run one command in a fork of this process, tell its number and its exit status, and end."""
    import resource

    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    data, streams, _, _ = socket.recv_fds(connection, _LONGEST, 3)
    while not data.endswith(b"\n"):
        data += connection.recv(_LONGEST)
    request = json.loads(data)
    number = os.fork()
    if number == 0:
        connection.close()
        for standard, stream in enumerate(streams):
            os.dup2(stream, standard)
            os.close(stream)
        os.chdir(request["folder"])
        os.umask(request["mask"])
        if request.get("most_data"):
            resource.setrlimit(resource.RLIMIT_DATA, (request["most_data"],) * 2)
        if _settings_of_start(request["environment"]) != _settings_of_start(os.environ):
            os.execve(request["arguments"][0], request["arguments"], request["environment"])
        os.environ.clear()
        os.environ.update(request["environment"])
        sys.argv = request["arguments"]
        _forget_warnings()
        from latticemetric.cli import main

        sys.exit(getattr(main, request["name"].replace("-", "_"))())
    for stream in streams:
        os.close(stream)
    connection.sendall(f"{number}\n".encode())
    _, status = os.waitpid(number, 0)
    try:
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    finally:
        os._exit(0)


# ---- Those that ask it ----


def socket_of_server():
    """Start the process that forks, once; return its socket, or `None` where commands are programs."""
    if not hasattr(os, "fork") or any(name.startswith("COVERAGE") for name in os.environ):
        return None
    if _SOCKET not in os.environ:
        os.environ[_SOCKET] = _start()
    return os.environ[_SOCKET]


def search_path(programs):
    """Return the search path of a shell that finds commands as forks, else in the folder of programs."""
    from pathlib import Path

    path = socket_of_server()
    folders = [programs, os.environ["PATH"]] if path is None else [Path(path).parent, programs, os.environ["PATH"]]
    return os.pathsep.join(map(str, folders))


def _start():
    import subprocess
    import tempfile
    from pathlib import Path

    folder = tempfile.TemporaryDirectory(prefix="forks-")  # it lasts as long as this process
    atexit.register(folder.cleanup)
    path = str(Path(folder.name) / "socket")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen(64)
    tests = str(Path(__file__).parents[1])
    code = f"import socket; from kit.forks import serve; serve(socket.socket(fileno={listening.fileno()}))"
    code = f"import os, sys; sys.path.insert(0, {tests!r}); {code}"
    server = subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[listening.fileno()],
    )
    listening.close()

    def end():
        server.stdin.close()
        server.wait()

    atexit.register(end)
    for name in ("latticemetric", "lattice-oracle"):
        program = Path(sys.executable).parent / name
        shim = Path(folder.name) / name
        shim.write_text(f'#!/bin/sh\nexec {sys.executable} -IS {__file__} {name} {program} "$@"\n')
        shim.chmod(0o755)
    return path


def ask(path, name, arguments, streams, **settings):
    """Start a command as a fork; return the connection that tells its process number and its exit status.

    The fork has these standard streams, and the `folder`, `environment`, `mask` of new files and, if it is given, the
    limit of data `most_data` (in bytes) of `settings`.
    """
    request = {"name": name, "arguments": arguments, **settings}
    data = json.dumps(request).encode() + b"\n"
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        sent = socket.send_fds(connection, [data], streams)
        connection.sendall(data[sent:])
        return connection.makefile("r")


def _mask():
    mask = os.umask(0)  # it can only be read by setting it
    os.umask(mask)
    return mask


def run(path, command, given, folder, *, most_data=None, seconds=None):
    """Run a command as a fork; return its exit status, its standard output and its errors.

    By default, a fork is given up after `PATIENCE` seconds.
    """
    import subprocess
    from pathlib import Path
    from threading import Thread

    from kit.patience import PATIENCE  # not where a shell runs this file, which finds no package `kit`

    seconds = PATIENCE if seconds is None else seconds
    (inward, ours), (output, outward), (errors, complaints) = os.pipe(), os.pipe(), os.pipe()
    name = Path(command[0]).name
    settings = {"folder": str(folder), "environment": dict(os.environ), "mask": _mask()}
    settings["most_data"] = most_data
    told = ask(path, name, command, [inward, outward, complaints], **settings)
    for end in (inward, outward, complaints):
        os.close(end)
    texts = {}

    def write():
        try:
            with os.fdopen(ours, "wb") as stream:
                stream.write(given)
        except BrokenPipeError:  # it does not read all of it
            pass

    def read(number):
        with os.fdopen(number, "rb") as stream:
            texts[number] = stream.read().decode()

    threads = [Thread(target=write), Thread(target=read, args=(output,)), Thread(target=read, args=(errors,))]
    for thread in threads:
        thread.start()
    with told:
        number = int(told.readline())
        for thread in threads:
            thread.join(seconds)
        if any(thread.is_alive() for thread in threads):
            os.kill(number, signal.SIGKILL)
            raise subprocess.TimeoutExpired(command, seconds)
        return int(told.readline()), texts[output], texts[errors]


def main():
    """Run a command for a shell."""
    name, program, *arguments = sys.argv[1:]
    environment = dict(os.environ)
    path = environment.pop(_SOCKET, None)
    try:
        settings = {"folder": os.path.realpath("."), "environment": environment, "mask": _mask()}
        told = ask(path, name, [program, *arguments], [0, 1, 2], **settings)
        told.readline()
        status = int(told.readline())
    except (OSError, TypeError, ValueError):
        os.execv(program, [program, *arguments])
    if status < 0:
        os.kill(os.getpid(), -status)
    os._exit(status)


if __name__ == "__main__":
    main()
