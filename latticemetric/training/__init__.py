"""Training with exact expected rates: batches of graphs, and functions with gradients for PyTorch and JAX.

`batch` needs NumPy only; `torch` and `jax` import the libraries of their names.
"""

from latticemetric.training.batch import Batch, BatchExpectation

__all__ = ["Batch", "BatchExpectation"]
