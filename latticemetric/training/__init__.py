"""Training with exact expected rates: batches of graphs, and differentiable functions for PyTorch and JAX.

`batch` needs only NumPy; `torch` and `jax` import the libraries with these names.
"""

from latticemetric.training.batch import Batch, BatchExpectation

__all__ = ["Batch", "BatchExpectation"]
