"""Expected rates as a differentiable function of PyTorch tensors."""

from __future__ import annotations

from typing import Any

from latticemetric.arguments import plain_array
from latticemetric.errors import UsageError, importing
from latticemetric.training.batch import Batch

_ADVICE = "pip install torch, or install Debian's python3-torch; a build for CPUs is enough"
with importing("this needs PyTorch", advice=_ADVICE):
    import torch

__all__ = ["ExpectedRates", "expected_rates"]


class ExpectedRates(torch.autograd.Function):  # type: ignore[misc]  # torch has no types here
    """The expected rate of each graph of a batch, for `expected_rates`."""

    @staticmethod
    def forward(ctx: Any, costs: Any, batch: Batch) -> Any:
        """Return the rates; store the gradient, which the same search computes."""
        found = batch.expected(plain_array(costs), gradient=ctx.needs_input_grad[0])
        if found.gradient is not None:
            # In half precision, small slopes would become 0 before they are multiplied by the scale of the loss.
            precise = torch.promote_types(costs.dtype, torch.float32)
            gradient = torch.tensor(found.gradient, dtype=precise, device=costs.device)
            sizes = torch.tensor(batch.sizes, dtype=torch.int64, device=costs.device)
            ctx.save_for_backward(costs, gradient, sizes)
        return torch.tensor(found.value, dtype=costs.dtype, device=costs.device)

    @staticmethod
    def backward(ctx: Any, slopes: Any) -> Any:
        """Return the gradient with respect to the costs, given the gradient with respect to the rates."""
        return _Gradient.apply(slopes, *ctx.saved_tensors), None


class _Gradient(torch.autograd.Function):  # type: ignore[misc]
    """The gradient as a function of the costs, so that PyTorch does not take it for a constant."""

    @staticmethod
    def forward(ctx: Any, slopes: Any, costs: Any, gradient: Any, sizes: Any) -> Any:  # noqa: ARG004
        return (gradient * slopes.repeat_interleave(sizes)).to(costs.dtype)

    @staticmethod
    def backward(ctx: Any, *slopes: Any) -> Any:  # noqa: ARG004
        raise UsageError(
            "second derivatives of expected rates are not available", advice="use the gradient as it is: detach it"
        )


def expected_rates(batch: Batch, costs: Any) -> Any:
    """Compute the exact expected rate of each graph, with its gradient with respect to the costs.

    The search runs on the CPU in double precision. The result has the type and the device of `costs`. Second
    derivatives are not available; they raise an error. `torch.compile` leaves the search as it is, between two compiled
    graphs, so it cannot have `fullgraph=True`.

    Args:
        batch: The graphs and their references.
        costs: A tensor of all costs (−log weights), in the order of `Batch`.

    Examples:
        >>> import latticemetric as lm
        >>> batch = Batch([lm.NBest.from_strings(["a b", "a c"])], ["a b"])
        >>> costs = torch.zeros(2, dtype=torch.float64, requires_grad=True)
        >>> rates = expected_rates(batch, costs)
        >>> rates.sum().backward()
        >>> rates.tolist(), costs.grad.tolist()
        ([0.25], [0.125, -0.125])
    """
    return _rates(batch, costs)


def _rates(batch: Batch, costs: Any) -> Any:
    if not isinstance(costs, torch.Tensor):
        raise UsageError(f"costs is a {type(costs).__name__}, not a tensor", advice="give torch.as_tensor(costs)")
    if not costs.is_floating_point():
        raise UsageError(f"costs is a tensor of {costs.dtype}, which cannot hold rates", advice="give costs.double()")
    return ExpectedRates.apply(costs, batch)


if hasattr(torch, "compiler"):  # otherwise, `torch.compile` compiles NumPy's part of the search anew for each batch
    _rates = torch.compiler.disable(_rates)
