"""Many graphs on the workers of a Dask cluster: the same results, whatever dies meanwhile."""

import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import uuid
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner
from kit.commands import good, oracle
from kit.interruption import UNHURRIED
from kit.many_graphs import RICH, data, latticemetric
from kit.many_graphs import heavy as heavy_archive
from kit.paths import EXAMPLES
from kit.patience import PATIENCE
from kit.work import heavy, told, wait_for

import latticemetric as lm
from latticemetric import InputError, MissingDependencyError, UsageError
from latticemetric.automata.recognition import STAR_SYMBOL
from latticemetric.cli.main import _group
from latticemetric.corpus.answer import answers_of
from latticemetric.corpus.run import Run
from latticemetric.formats.reading import entries
from latticemetric.parallel import cluster
from latticemetric.parallel.cluster import Cluster
from latticemetric.parallel.journal import Journal
from latticemetric.parallel.limits import Limits
from latticemetric.parallel.map import map_in_order

MEETING = [EXAMPLES / "meeting.lat.txt", EXAMPLES / "meeting.ref.txt"]


@pytest.fixture(scope="module")
def client():
    """Two workers that anybody may ask; a batch is given up on when one has died of it."""
    dask = pytest.importorskip("dask")
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}), contextlib.ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("latticemetric.parallel.cluster.security_options", lambda **_: {})
            found = stack.enter_context(Cluster.parse("local:2").connected())
        yield found


@pytest.fixture
def there(client):
    """Where the cluster is, for the command line."""
    return ["--cluster", client.scheduler.address]


def invoked(*command: object):
    """A command in this process: to import Dask takes longer than most of them."""
    return CliRunner().invoke(_group, list(map(str, command)))


def square(number: int) -> int:
    return number * number


def test_answers_come_in_order_and_functions_travel_with_their_code(client):
    assert list(map_in_order(square, range(500), client)) == [number**2 for number in range(500)]
    assert list(map_in_order(lambda number: -number, range(50), client)) == [-number for number in range(50)]


def test_limits_are_held_and_a_graph_kills_nobody_but_its_process(client):
    before = client.run(os.getpid)
    answers = list(map_in_order(heavy, range(10), client, lost=told, limits=Limits(timeout=5.0)))
    assert answers[3].startswith("3: the search takes more than 5 seconds; prune the graph")
    assert answers[5].startswith("5: the worker process was killed by SIGKILL twice on this task")
    assert [answers[k] for k in (0, 1, 2, 4, 6, 7, 8, 9)] == list("01246789")
    assert client.run(os.getpid) == before


def test_what_is_left_ends_with_its_run(client, tmp_path):
    def mark(number: int) -> int:
        (tmp_path / str(os.getpid())).touch()
        time.sleep(0.01 if number < 20 else 60)
        return number

    answers = map_in_order(mark, range(100), client)
    assert next(answers) == 0
    assert wait_for(lambda: any(tmp_path.iterdir()))
    answers.close()
    assert wait_for(lambda: not any(Path(f"/proc/{file.name}/stat").exists() for file in tmp_path.iterdir()))


def test_one_worker_a_cluster_and_merged_shards_say_the_same(there, tmp_path):
    given = [*data(tmp_path, graphs=60, broken=(3, 40)), "--keep-going", "--format", "json", *RICH]
    reports = [tmp_path / name for name in ("here", "there")]
    alone = oracle(*given, "--workers", 1, "--failures", reports[0])
    many = invoked("oracle", *given, *there, "--failures", reports[1])
    assert (many.exit_code, many.stdout, many.stderr) == (alone.status, alone.stdout, alone.stderr)
    assert reports[0].read_text() == reports[1].read_text()
    for number in (1, 2, 3, 4):
        invoked("oracle", *given, *there, "--shard", f"{number}/4", "--output", tmp_path / f"{number}.json")
    assert good(latticemetric("merge", "--format", "json", *tmp_path.glob("*.json"))).stdout == alone.stdout


def test_a_journal_of_a_cluster_is_gone_on_with_here(there, tmp_path, monkeypatch):
    given = [*data(tmp_path, broken=(3,)), "--keep-going", "--format", "json", "--resume", "--output", tmp_path / "out"]
    undisturbed = oracle(*given)
    assert undisturbed.status == 1
    written = (tmp_path / "out").read_bytes()
    (tmp_path / "out").unlink()
    monkeypatch.setattr(Journal, "remove", lambda _self: None)
    assert invoked("oracle", *given, *there).exit_code == 1
    assert (tmp_path / "out").read_bytes() == written
    (tmp_path / "out").unlink()
    resumed = oracle(*given).stderr.splitlines()
    assert [line for line in resumed if "taken from the journal" not in line] == undisturbed.stderr.splitlines()
    assert len(resumed) == len(undisturbed.stderr.splitlines()) + 1
    assert (tmp_path / "out").read_bytes() == written


@pytest.mark.parametrize(
    "command",
    [
        ("oracle", *MEETING, "--normalize", "english", "--posteriors", "--posterior-scale", 0.1, "--format", "json"),
        ("oracle", EXAMPLES / "lantern.target_graph", EXAMPLES / "lantern.ref.txt", "--format", "json"),
        ("sweep", *MEETING, "--beams", "1,2", "--nbest-sizes", "1,5", "--format", "json"),
        ("mbr", MEETING[0], "--evidence", MEETING[0], "--format", "tsv"),
        ("mbr", MEETING[0], "--by", "bleu", "--samples", 50, "-P", "bleu.smoothing=exp"),
        ("posteriors", MEETING[0], "--of", "arcs", "--format", "json"),
        ("consensus", MEETING[0], "--format", "json"),
        ("info", *MEETING[:1], EXAMPLES / "lantern.target_graph", "--format", "json"),
        ("convert", MEETING[0], "-", "--to", "kaldi"),
    ],
    ids=lambda command: command[0],
)
def test_every_verb_says_the_same(command, there):
    alone, many = (invoked(*command, *more) for more in (["--workers", 1], there))
    assert (alone.exit_code, alone.output) == (0, many.output)
    assert alone.stdout


def test_an_automaton_of_ones_own_says_the_same(there, tmp_path):
    pynini = pytest.importorskip("pynini")
    table = pynini.SymbolTable()
    for symbol in ("<eps>", STAR_SYMBOL):
        table.add_symbol(symbol)
    machine = pynini.Fst()
    machine.set_start(machine.add_state())
    machine.set_final(0)
    machine.add_arc(0, pynini.Arc(1, 1, 1.0, 0))
    machine.set_input_symbols(table).set_output_symbols(table)
    machine.write(str(tmp_path / "length.fst"))
    given = [MEETING[0], "--metric", tmp_path / "length.fst", "--format", "jsonl"]
    assert good(oracle(*given, *there)).stdout == good(oracle(*given)).stdout


def test_limits_of_the_command_line_are_held(there, tmp_path):
    archive = heavy_archive(tmp_path)
    given = ["posteriors", archive, "--of", "ngrams", "--order", 12, "--format", "jsonl", "--keep-going"]
    done = latticemetric(*given, *there, "--max-memory", "100M")
    assert done.status == 1
    assert ["error" in line for line in done.stdout.splitlines()] == [False, True, False]
    assert "do not fit into memory" in done.stdout


CHILD = "LATTICEMETRIC_TEST_RUN"


def descendants(mark: str) -> list[int]:
    """All processes that were started with this mark in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdecimal() and f"{CHILD}={mark}".encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_an_interrupt_leaves_a_journal_and_no_processes(tmp_path):
    pytest.importorskip("distributed")
    given = [*data(tmp_path, graphs=300), *RICH, "--format", "json"]
    output, journal = tmp_path / "out.json", tmp_path / "out.json.journal"
    mark = uuid.uuid4().hex
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", UNHURRIED, *map(str, [*given, "--resume", "-o", output, "--cluster", "local:2"])],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, CHILD: mark},
        start_new_session=True,
    )
    assert wait_for(lambda: journal.exists() and journal.stat().st_size > 50_000)
    assert len(descendants(mark)) > 3
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to all processes
    _, told_on_stderr = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "graphs are done; the same command continues from there" in told_on_stderr.decode()
    assert told_on_stderr.decode().count("\n") == 1, told_on_stderr.decode()
    assert wait_for(lambda: not descendants(mark)), "a process is left"
    good(oracle(*given, "--resume", "-o", output))
    assert output.read_text() == good(oracle(*given)).stdout


SLOW_TO_CLOSE = """
import time
from latticemetric.parallel import cluster
Connected = cluster.Cluster.connected
def connected_and_slow(self):
    with Connected(self) as client:
        try:
            yield client
        finally:
            time.sleep(60)
cluster.Cluster.connected = contextlib.contextmanager(connected_and_slow)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_cluster_that_closes_slowly_says_no_more_than_that_it_ends(tmp_path):
    """Python warned of semaphores that a process left when it ended itself."""
    pytest.importorskip("distributed")
    given = [*data(tmp_path, graphs=300), "--resume", "-o", tmp_path / "out.json", "--cluster", "local:2"]
    program = f"import contextlib\n{SLOW_TO_CLOSE}{UNHURRIED}"
    command = [sys.executable, "-P", "-c", program, *map(str, given)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    journal = tmp_path / "out.json.journal"
    assert wait_for(lambda: journal.exists() and journal.stat().st_size > 10_000)
    os.killpg(process.pid, signal.SIGINT)
    _, told_on_stderr = process.communicate(timeout=PATIENCE)
    assert re.fullmatch(
        r"interrupted; \d+ graphs are done; the same command continues from there\n", told_on_stderr.decode()
    )
    assert process.returncode == 130


@pytest.mark.parametrize("text", ["", "here", "local:", "local:0", "local:x", "slurm", "slurm:0", "host:1", "a.yaml"])
def test_what_is_no_cluster(text):
    with pytest.raises(
        UsageError, match=r"is not a cluster; give local, |has no number of workers; give (local|slurm):N"
    ):
        Cluster.parse(text)


def test_clusters_that_are_not_there(monkeypatch, tmp_path):
    monkeypatch.setattr("latticemetric.parallel.cluster._SECONDS_TO_CONNECT", 1)
    for text, message in (
        ("tcp://127.0.0.1:1", "tcp://127.0.0.1:1: cannot connect to the cluster"),
        ("what://127.0.0.1:1", "what://127.0.0.1:1: cannot connect to the cluster"),
        (f"{tmp_path}/none.json", "none.json: the file of the scheduler does not exist"),
    ):
        with pytest.raises(InputError, match=message), Cluster.parse(text).connected():
            pass


@pytest.mark.parametrize(
    "content",
    [
        *(b"{}", b"", b"[" * 200_000, b'{"a":' * 100_000, b"\xff\x00\x01", b"5", b"null", b'["address"]', b"not json"),
        *(b'{"address": 5}', b'{"address": {"a": 1}}', b'{"address": ""}', b'{"address": "no address"}', b" " * 2**21),
    ],
    ids=lambda content: repr(content[:20]),
)
def test_what_is_no_file_of_a_scheduler(content, tmp_path):
    (tmp_path / "no.json").write_bytes(content)
    done = invoked("oracle", *MEETING, "--cluster", tmp_path / "no.json")
    assert isinstance(done.exception, InputError), done.exception
    assert "no.json: this is not a scheduler's file" in str(done.exception)


def test_a_scheduler_has_a_plain_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    for name in ("pipe", "folder"):
        done = invoked("oracle", *MEETING, "--cluster", tmp_path / f"{name}.json")
        assert "the file of the scheduler does not exist" in str(done.exception)


@pytest.mark.parametrize(
    "given",
    [["--workers", 100_000], ["--workers", 10**30], ["--cluster", "local:100000"], ["--cluster", "local:99999"]],
)
@pytest.mark.parametrize("verb", [["info", MEETING[0]], ["oracle", *MEETING], ["convert", MEETING[0], "-"]])
def test_no_more_workers_start_than_a_machine_can_use(verb, given):
    done = invoked(*verb, *given)
    assert isinstance(done.exception, UsageError)
    assert "workers are too many for this machine; give at most" in str(done.exception)


# --- Who may ask the workers


def listeners() -> set[str]:
    """Where this process and those that it started listen."""
    psutil = pytest.importorskip("psutil")
    processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
    found = [connection for one in processes for connection in one.net_connections("tcp")]
    return {connection.laddr.ip for connection in found if connection.status == psutil.CONN_LISTEN}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, only root may see who listens")
def test_a_local_cluster_listens_to_nobody_elsewhere():
    pytest.importorskip("distributed")
    with Cluster.parse("local:1").connected() as found:
        assert listeners() == {"127.0.0.1"}
        assert list(map_in_order(square, range(20), found)) == [number**2 for number in range(20)]


def test_a_local_cluster_answers_nobody_else():
    """Users of the same machine reach its ports; they must not run programs there."""
    pytest.importorskip("cryptography")
    distributed = pytest.importorskip("distributed")
    with Cluster.parse("local:1").connected() as found:
        address = found.scheduler.address
        assert address.startswith("tls://")
        strangers = [distributed.Security.temporary(), distributed.Security()]
        for stranger, scheme in itertools.product(strangers, ("tls", "tcp")):
            with pytest.raises((OSError, RuntimeError, TypeError, AssertionError)):  # as Dask puts it
                distributed.Client(address.replace("tls", scheme), security=stranger, timeout=1, set_as_default=False)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """Two authorities, and a certificate of each, as openssl makes them; and settings of Dask that name them."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not there")
    settings = []
    for name in ("ours", "theirs"):
        folder = tmp_path_factory.mktemp(name)
        key, certificate = folder / "key.pem", folder / "cert.pem"
        made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"]
        subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
        settings.append(tls(certificate, certificate, key))
    return settings


def tls(authority: object, certificate: object, key: object) -> dict[str, str | None]:
    """Dask's settings."""
    own = {"cert": certificate, "key": key}
    named = {f"{role}.{name}": value for role in ("client", "scheduler", "worker") for name, value in own.items()}
    return {f"distributed.comm.tls.{k}": v and str(v) for k, v in ({"ca-file": authority} | named).items()}


@pytest.fixture(scope="module")
def guarded(certificates, tmp_path_factory):
    """The file of a scheduler that knows its clients by their certificates, with a worker: programs of their own."""
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("scheduler")
    file = folder / "scheduler.json"
    ours = {name.rpartition(".")[2]: value for name, value in certificates[0].items()}
    proof = [word for name, value in ours.items() for word in (f"--tls-{name}", value)]
    given = ["--scheduler-file", str(file), "--protocol", "tls", "--no-dashboard", "--host", "127.0.0.1", *proof]

    def program(kind: str, *more: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *given, *more]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)

    programs = [program("scheduler", "--port", "0")]
    try:
        assert wait_for(file.exists)
        programs.append(program("worker", "--nthreads", "1"))
        yield file
    finally:
        for one in reversed(programs):
            one.terminate()
            one.wait(60)


def test_certificates_of_dasks_configuration_are_shown(guarded, certificates):
    dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
    address = json.loads(guarded.read_text())["address"]
    assert address.startswith("tls://")
    expected = invoked("oracle", *MEETING, "--format", "json").output
    with dask.config.set(certificates[0]):
        for where in (guarded, address):
            assert invoked("oracle", *MEETING, "--format", "json", "--cluster", where).output == expected
        security = distributed.Security()
    with distributed.Client(address, security=security, set_as_default=False) as secured:
        answers = lm.Corpus.read(MEETING[0]).map(lambda graph: graph.statistics().paths, workers=secured)
        said = [answer.value for answer in answers]
        assert said == [graph.statistics().paths for _, graph in lm.read(MEETING[0])]


@pytest.mark.parametrize("stranger", ["without certificates", "with others", "without TLS", "with a missing file"])
def test_strangers_are_told_that_they_are(stranger, guarded, certificates, monkeypatch):
    dask = pytest.importorskip("dask")
    monkeypatch.setattr("latticemetric.parallel.cluster._SECONDS_TO_CONNECT", 1)
    address = json.loads(guarded.read_text())["address"]
    settings = tls(None, None, None)
    if stranger == "with others":
        settings = certificates[1]
    elif stranger == "with a missing file":
        settings = {**certificates[0], "distributed.comm.tls.ca-file": "/none.pem"}
    elif stranger == "without TLS":
        address = address.replace("tls", "tcp")
    with dask.config.set(settings):
        done = invoked("oracle", *MEETING, "--cluster", address)
    assert isinstance(done.exception, InputError), done.exception
    assert "cannot connect to the cluster: " in str(done.exception)
    assert stranger == "without TLS" or "distributed.comm.tls" in str(done.exception)


def test_local_clusters_take_configured_certificates(certificates):
    dask = pytest.importorskip("dask")
    with dask.config.set(certificates[0]), Cluster.parse("local:1").connected() as found:
        assert found.scheduler.address.startswith("tls://")
        assert found.security.tls_ca_file == certificates[0]["distributed.comm.tls.ca-file"]
        assert list(map_in_order(square, range(5), found)) == [0, 1, 4, 9, 16]


def test_workers_are_those_of_the_cluster(there):
    for given, message in (
        (["--workers", 2], "this cannot be used with --cluster"),
        (["--metric", "bleu"], "--cluster has no effect"),
    ):
        done = invoked("oracle", *MEETING, *there, *given)
        assert isinstance(done.exception, UsageError)
        assert message in str(done.exception)


def test_packages_that_are_missing_are_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    for text, advice in (("local", r"pip install 'latticemetric\[cluster\]'"), ("tcp://h:1", "Dask")):
        with pytest.raises(MissingDependencyError, match=advice), Cluster.parse(text).connected():
            pass


def test_jobs_of_slurm_are_asked_for(monkeypatch, client):
    """dask-jobqueue's own part is stood in for: the cluster that it would make is the one that is there."""
    import types

    asked = []

    class Jobs:
        def __init__(self, **security):
            asked.append(security)

        def __enter__(self):
            return client.scheduler.address

        def __exit__(self, *_):
            asked.append("ended")

        def scale(self, *, jobs):
            asked.append(jobs)

    monkeypatch.setitem(sys.modules, "dask_jobqueue", types.SimpleNamespace(SLURMCluster=Jobs, __spec__=object()))
    with Cluster.parse("slurm:3").connected() as found:
        assert list(map_in_order(square, range(20), found)) == [number**2 for number in range(20)]
    assert asked == [{}, 3, "ended"]
    dask = pytest.importorskip("dask")
    with dask.config.set(tls("ca", "c", "k")):
        settings = cluster.security_options()
    assert (settings["protocol"], settings["security"].tls_scheduler_cert) == ("tls://", "c")


def test_from_python_a_client_is_who_answers(client, tmp_path):
    archive, _ = data(tmp_path)
    answers = lm.Corpus.read(archive).map(lambda graph: graph.statistics().paths, workers=client)
    paths = [answer.value for answer in answers]
    assert paths == [graph.statistics().paths for _, graph in lm.read(archive)]


def test_a_client_is_nobodys_but_its_owners(client):
    for _ in range(2):  # it is not shut down, and does not mind that nobody reads to the end
        answers = map_in_order(square, range(10_000), client)
        assert [next(answers) for _ in range(5)] == [0, 1, 4, 9, 16]
        answers.close()


def test_questions_are_taken_as_they_are_needed(client):
    taken = 0

    def endless():
        nonlocal taken
        while True:
            taken += 1
            yield taken

    answers = map_in_order(square, endless(), client)
    for number in range(1, 1001):
        assert next(answers) == number**2
        assert taken <= number + 128 * 2 + 64
    answers.close()


def test_bytes_under_way_are_bounded(client):
    most = answered = 0

    def large():
        nonlocal most
        for number in range(1, 121):
            most = max(most, number - answered)
            yield b"x" * 2**22

    for _ in map_in_order(len, large(), client):
        answered += 1
    assert answered == 120
    assert most <= 20  # 64 MB of 4 MB each, and what is taken in at the beginning


def test_errors_of_questions_come_after_the_answers_before_them(client):
    def questions():
        yield from range(50)
        raise InputError("the archive ends")

    answers = map_in_order(square, questions(), client)
    assert [next(answers) for _ in range(50)] == [number**2 for number in range(50)]
    with pytest.raises(InputError, match="the archive ends"):
        next(answers)


def test_errors_of_answers_come_when_it_is_their_turn(client):
    def fail(number: int) -> int:
        if number == 20:
            raise InputError("this is no number")
        return number

    answers = map_in_order(fail, range(200), client)
    assert [next(answers) for _ in range(20)] == list(range(20))
    with pytest.raises(InputError, match="this is no number"):
        next(answers)


def test_workers_that_are_not_there_yet_are_waited_for(client, monkeypatch):
    monkeypatch.setattr(client, "nthreads", dict)
    assert list(map_in_order(square, range(200), client)) == [number**2 for number in range(200)]


def test_a_function_that_cannot_be_sent_is_an_error(client):
    def locked(_: int, lock: object = threading.Lock()) -> None:
        del lock

    with pytest.raises(UsageError, match="cannot be sent to other processes"):
        list(map_in_order(locked, range(3), client))


def test_a_sweep_takes_a_client(client):
    lattices = [lm.Lattice.from_strings(["a x c", "a b c"], costs=[1.0, 2.0])] * 40
    corpus = lm.Corpus(lattices, ["a b c"] * 40)
    alone, together = (corpus.sweep("wer", nbest_sizes=[1, 2], workers=workers) for workers in (1, client))
    assert list(together) == list(alone)
    assert len(alone) == 40


# --- Graphs travel as places in files, where workers find the same files


def unchanged(graph: lm.Lattice) -> lm.Lattice:
    return graph


def test_a_symbol_table_travels_once_and_comes_back(client, tmp_path):
    archive, _ = data(tmp_path)
    table = lm.Vocabulary(dict(enumerate([*(f"w{number}" for number in range(30)), *map(str, range(50_000))], start=1)))
    there, here = (list(answers_of(entries([str(archive)], None, table), unchanged, Run(who))) for who in (client, 1))
    assert [answer.name for answer in there] == [answer.name for answer in here]
    for one, other in zip(there, here, strict=True):
        assert one.value.word.tolist() == other.value.word.tolist()
        assert one.value.vocabulary == table


def test_a_file_that_changes_meanwhile_is_not_read_again(client, tmp_path):
    archive, _ = data(tmp_path)
    expected = [answer.value.word.tolist() for answer in answers_of(entries([str(archive)]), unchanged, Run())]
    content = archive.read_bytes()
    for changed in (None, content[::-1], content.replace(b"w1", b"w2")):
        archive.write_bytes(content)
        questions = list(entries([str(archive)]))
        archive.unlink() if changed is None else archive.write_bytes(changed)
        found = list(answers_of(questions, unchanged, Run(client)))
        assert [answer.value.word.tolist() for answer in found] == expected


def test_archives_of_scripts_are_read_here_where_there_are_none(client, tmp_path, monkeypatch):
    archive, _ = data(tmp_path, broken=(5,))
    text = archive.read_bytes()
    names = [f"u{number:05d}" for number in range(60)]
    lines = [f"{name} lats.txt:{text.index(f'{name} '.encode()) + 7}\n" for name in names]
    (tmp_path / "lats.scp").write_text("".join([*lines, "none lats.txt:99999999\n"]))
    monkeypatch.chdir(tmp_path)

    def answers(workers):
        found = answers_of(entries(["lats.scp"]), unchanged, Run(workers, keep_going=True))
        return [(one.name, str(one.problem), one.value and one.value.word.tolist()) for one in found]

    here = answers(1)
    assert answers(client) == here
    monkeypatch.setattr("latticemetric.parallel.dask.os.getcwd", lambda: "/")  # there, workers have no such file
    assert answers(client) == here
    assert [name for name, problem, _ in here if problem != "None"] == ["u00005", "none"]


def test_each_graph_is_asked_a_question(client, tmp_path):
    archive, references = data(tmp_path, broken=(3,))
    ask = partial(lm.oracle, metric="wer")
    corpus = lm.Corpus.read(archive, references)
    alone, many = (list(corpus.map(ask, workers=who, keep_going=True)) for who in (1, client))
    assert [(one.name, one.value, str(one.problem)) for one in many] == [
        (one.name, one.value, str(one.problem)) for one in alone
    ]
    assert [one.name for one in many if one.problem] == ["u00003"]
    with pytest.raises(InputError, match=r"lats\.txt"):
        list(lm.Corpus.read([archive]).map(lambda graph: graph.statistics().paths, workers=client))


def test_graphs_in_memory_are_asked_too(client):
    graphs = [(name, lm.Lattice.from_strings([name, "x"])) for name in "abc"]
    answers = lm.Corpus(graphs).map(lambda graph: graph.statistics().paths, workers=client)
    assert [(one.name, one.value) for one in answers] == [(name, 2) for name in "abc"]


# --- Workers that die; last, for they may not be there again at once


def kill_the_worker(number: int) -> str:
    if number == 37:
        time.sleep(1)  # Dask replaces a worker that dies, but not one that dies as it begins
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
    return str(number)


def test_what_kills_workers_again_and_again_has_no_answer(client):
    expected = list(map(str, range(60)))
    expected[37] = (
        "37: several workers of the cluster died during this task; "
        "it may need more memory: use fewer workers, or prune the graph"
    )
    assert list(map_in_order(kill_the_worker, range(60), client, lost=told)) == expected


def slow_square(number: int) -> int:
    time.sleep(0.01)
    return number * number


def test_a_worker_that_is_killed_costs_nothing(client):
    client.wait_for_workers(1, timeout=PATIENCE)
    (pid, *_) = client.run(os.getpid).values()
    answers = map_in_order(slow_square, range(400), client)
    assert [next(answers) for _ in range(50)] == [number**2 for number in range(50)]
    os.kill(pid, signal.SIGKILL)
    assert list(answers) == [number**2 for number in range(50, 400)]
