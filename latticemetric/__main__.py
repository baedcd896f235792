"""Run the program `latticemetric` as `python -m latticemetric`, where the folder of programs is not on the path."""

from latticemetric.cli.main import latticemetric

if __name__ == "__main__":
    latticemetric()
