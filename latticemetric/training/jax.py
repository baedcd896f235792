"""Expected rates as a differentiable function of JAX arrays; it may be used within `jax.jit`."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from latticemetric.errors import UsageError, importing
from latticemetric.training.batch import Batch

with importing("this needs JAX", advice="pip install jax"):
    import jax
    import jax.numpy as jnp

__all__ = ["expected_rates"]


def expected_rates(batch: Batch, costs: Any) -> Any:
    """Compute the exact expected rate of each graph, with its gradient with respect to the costs.

    The search runs on the CPU in double precision; under `jax.jit` and `jax.vmap`, in a callback of JAX. The result has
    the type of `costs`.

    Args:
        batch: The graphs and their references.
        costs: An array of all costs (−log weights), in the order of `Batch`.

    Raises:
        InputError: A cost is not finite, or another error of `Batch.expected`. Within a callback, JAX raises its own
            error (`XlaRuntimeError` or `JaxRuntimeError`), whose text ends with this one.

    Examples:
        >>> import latticemetric as lm
        >>> batch = Batch([lm.NBest.from_strings(["a b", "a c"])], ["a b"])
        >>> rates = lambda costs: expected_rates(batch, costs).sum()
        >>> value, slopes = jax.value_and_grad(rates)(jnp.zeros(2))
        >>> float(value), slopes.tolist()
        (0.25, [0.125, -0.125])
    """
    costs = jnp.asarray(costs)
    if jnp.iscomplexobj(costs):
        raise UsageError(f"costs is an array of {costs.dtype}, which cannot hold rates", advice="give costs.real")
    batch.check_shape(costs.shape)  # within a callback, JAX would hide this error behind its own
    return _differentiable()(batch, costs)


@cache
def _differentiable() -> Any:
    """Return the function of expected rates, with its gradient, for JAX."""
    rates = jax.custom_vjp(_rates, nondiff_argnums=(0,))
    rates.defvjp(_forward, _backward)
    return rates


def _rates(batch: Batch, costs: Any) -> Any:
    return _called_back(batch, costs, gradient=False)[0]


def _called_back(batch: Batch, costs: Any, *, gradient: bool) -> Any:
    """Return the rates and, if requested, the gradient."""
    kind = costs.dtype if jnp.issubdtype(costs.dtype, jnp.floating) else jnp.result_type(float)

    def found(values: Any) -> tuple[Any, ...]:
        answer = batch.expected(np.asarray(values, dtype=np.float64), gradient=gradient)
        parts = (answer.value,) if answer.gradient is None else (answer.value, answer.gradient)
        return tuple(part.astype(kind) for part in parts)

    if not isinstance(costs, jax.core.Tracer):  # errors of a callback would be hidden behind those of JAX
        return tuple(map(jnp.asarray, found(costs)))
    shapes = [(len(batch),), costs.shape] if gradient else [(len(batch),)]
    wanted = tuple(jax.ShapeDtypeStruct(shape, kind) for shape in shapes)
    return jax.pure_callback(found, wanted, costs, vmap_method="sequential")


def _forward(batch: Batch, costs: Any) -> tuple[Any, Any]:
    rates, gradient = _called_back(batch, costs, gradient=True)
    return rates, gradient


def _backward(batch: Batch, gradient: Any, slopes: Any) -> tuple[Any]:
    sizes = np.array(batch.sizes)
    return (gradient * jnp.repeat(slopes, sizes, total_repeat_length=int(sizes.sum())),)
