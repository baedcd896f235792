"""Gradients in PyTorch and JAX: against finite differences, and against their own through a list of all paths."""

import re

import numpy as np
import pytest
from kit.brute_force import enumerate_paths
from kit.paths import EXAMPLES, ROOT

import latticemetric as lm
from latticemetric.training import Batch

LATTICE = lm.Lattice.from_arcs(
    [0, 0, 0, 1, 1, 2, 2, 3],
    [1, 1, 2, 2, 3, 3, 4, 4],
    [1, 2, 0, 3, 1, 2, 1, 4],
    final=[3, 4],
    vocabulary=lm.Vocabulary.from_words(["a", "b", "c", "d"]),
)
GRAPHS = [LATTICE, lm.NBest.from_strings(["a b", "b", "", "a c d"]), lm.Lattice.from_strings(["d", "a b c"])]
REFERENCES = ["a c b", ["a b", "c d"], "a b"]


def run_page(monkeypatch, library):
    """Run the blocks of the page that need no library, or this one; return their names."""
    monkeypatch.chdir(EXAMPLES)
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    names = {}
    first = ["import latticemetric as lm", "from latticemetric.training import Batch"]
    first += re.findall(r"^>>> ((?:graphs|references|batch) = .*)", page, re.MULTILINE)
    exec("\n".join(first), names)
    for block in re.findall(r"^```py\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        if library in block or "from_k2" in block:
            exec(block, names)
    return names


def uses_and_rates():
    """Of each graph: how often each path uses each cost, and the rate of each path."""
    for graph, reference in zip(GRAPHS, REFERENCES, strict=True):
        if isinstance(graph, lm.NBest):
            uses = np.eye(len(graph))
            strings = [hypothesis.words for hypothesis in graph.hypotheses]
        else:
            paths = list(enumerate_paths(graph))
            arcs, finals = len(graph.word), graph.final.tolist()
            uses = np.zeros((len(paths), arcs + len(finals)))
            for row, path in zip(uses, paths, strict=True):
                np.add.at(row, list(path.arcs), 1)
                row[arcs + finals.index(graph.target[path.arcs[-1]])] += 1
            strings = [path.words for path in paths]
        yield uses, np.array([lm.WER().score(list(words), reference) for words in strings])


def some_costs(batch):
    return np.random.default_rng(3).normal(size=sum(batch.sizes))


def test_pytorch_s_gradients_are_those_through_all_paths():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from latticemetric.training.torch import expected_rates

    batch = Batch(GRAPHS, REFERENCES)
    costs = torch.tensor(some_costs(batch), requires_grad=True)
    weights = torch.tensor([1.0, -2.0, 0.5])
    rates = expected_rates(batch, costs)
    (weights * rates).sum().backward()
    listed = torch.tensor(some_costs(batch), requires_grad=True)
    sums = [
        torch.softmax(-torch.tensor(uses) @ part, 0) @ torch.tensor(values)
        for (uses, values), part in zip(uses_and_rates(), listed.split(batch.sizes), strict=True)
    ]
    (weights * torch.stack(sums)).sum().backward()
    assert rates.tolist() == pytest.approx([one.item() for one in sums], abs=1e-12)
    assert costs.grad.numpy() == pytest.approx(listed.grad.numpy(), abs=1e-12)


def test_pytorch_s_gradients_are_finite_differences():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from latticemetric.training.torch import expected_rates

    batch = Batch(GRAPHS, REFERENCES, "2-grr")
    costs = torch.tensor(some_costs(batch), requires_grad=True)
    assert torch.autograd.gradcheck(lambda values: expected_rates(batch, values), costs)


def test_pytorch_s_types_and_flags_are_kept():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from latticemetric.training.torch import expected_rates

    batch = Batch(GRAPHS, REFERENCES)
    single = torch.tensor(some_costs(batch), dtype=torch.float32, requires_grad=True)
    rates = expected_rates(batch, single)
    rates.mean().backward()
    assert rates.dtype == single.grad.dtype == torch.float32
    with pytest.raises(lm.UsageError, match=r"costs is a tensor of torch.int64, which cannot hold rates"):
        expected_rates(batch, torch.zeros(len(single), dtype=torch.int64))
    assert not expected_rates(batch, single.detach()).requires_grad
    with pytest.raises(lm.InputError, match="graph 0: cost 0 is nan"):
        expected_rates(batch, single * torch.nan)


def test_an_empty_batch_has_an_empty_gradient_in_pytorch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from latticemetric.training.torch import expected_rates

    costs = torch.zeros(0, requires_grad=True)
    rates = expected_rates(Batch([], []), costs)
    rates.sum().backward()
    assert rates.shape == costs.grad.shape == (0,)


@pytest.mark.filterwarnings("ignore::UserWarning")  # PyTorch's compiler warns of what it does itself
def test_pytorch_s_compiler_leaves_the_search_as_it_is():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from torch._dynamo.testing import CompileCounter

    from latticemetric.training.torch import expected_rates

    def loss(batch, costs):
        return (expected_rates(batch, 2 * costs) * 3).sum()

    counter = CompileCounter()
    compiled = torch.compile(loss, backend=counter, dynamic=True)
    for number in range(1, 4):
        batch = Batch(GRAPHS[:number], REFERENCES[:number])
        costs, same = (torch.tensor(some_costs(batch), requires_grad=True) for _ in range(2))
        compiled(batch, costs).backward()
        loss(batch, same).backward()
        assert torch.equal(costs.grad, same.grad)
    assert counter.frame_count <= 4


def test_small_slopes_in_half_precision_survive_the_scale_of_the_loss():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from latticemetric.training.torch import expected_rates

    batch = Batch([lm.NBest.from_strings(["a b", "a c"])], ["a b"])
    costs, posterior_scale = [0.0, 18.0], 2.0**15
    half = torch.tensor(costs, dtype=torch.float16, requires_grad=True)
    (expected_rates(batch, half).sum() * posterior_scale).backward()
    assert half.grad.dtype == torch.float16
    assert half.grad.tolist() == pytest.approx((posterior_scale * batch.expected(costs).gradient).tolist(), rel=1e-3)


def test_pytorch_s_second_derivatives_are_refused():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from latticemetric.training.torch import expected_rates

    batch = Batch(GRAPHS, REFERENCES)
    costs = torch.tensor(some_costs(batch), requires_grad=True)
    rates = expected_rates(batch, costs).sum()
    (gradient,) = torch.autograd.grad(rates, costs, create_graph=True)
    with pytest.raises(lm.UsageError, match="second derivatives of expected rates are not available"):
        (rates + gradient.square().sum()).backward()
    with pytest.raises(lm.UsageError, match="second derivatives"):
        torch.autograd.functional.hessian(lambda values: expected_rates(batch, values).sum(), costs.detach())


def test_costs_of_another_library_are_named():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from latticemetric.training.torch import expected_rates

    batch = Batch(GRAPHS, REFERENCES)
    with pytest.raises(lm.UsageError, match="costs is a ndarray, not a tensor"):
        expected_rates(batch, some_costs(batch))
    with pytest.raises(lm.UsageError, match=r"the costs are not an array of numbers; .*use latticemetric\.training"):
        batch.expected(torch.tensor(some_costs(batch), requires_grad=True))


def test_jax_s_costs_are_checked_before_the_callback():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    from latticemetric.training.jax import expected_rates

    batch = Batch(GRAPHS, REFERENCES)
    costs = jax.numpy.array(some_costs(batch))
    for function in (expected_rates, jax.jit(expected_rates, static_argnums=0)):
        with pytest.raises(lm.UsageError, match=r"the costs have the shape \(3,\), but the batch has"):
            function(batch, costs[:3])
    with pytest.raises(lm.UsageError, match="costs is an array of complex64, which cannot hold rates"):
        expected_rates(batch, costs + 0j)


def test_tensors_of_k2_are_taken_with_their_history():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from latticemetric.training.torch import expected_rates

    arrays = lm.lattices_to_k2([LATTICE, LATTICE])
    vector = torch.tensor(arrays.arcs)
    batch = Batch.from_k2(vector, ["a c b", "a"], vocabulary=LATTICE.vocabulary)
    scores = torch.zeros(sum(batch.sizes), requires_grad=True)
    lattices = lm.lattices_from_k2(vector, scores, vocabulary=LATTICE.vocabulary)
    rates = expected_rates(batch, -scores)
    rates.sum().backward()
    for lattice, reference, rate in zip(lattices, ["a c b", "a"], rates.tolist(), strict=True):
        assert rate == pytest.approx(lm.expected(lattice, reference).value, abs=1e-6)
    assert scores.grad.abs().sum() > 0


def test_the_page_makes_a_vector_of_k2_with_the_rates_of_its_lattices(monkeypatch):
    names = run_page(monkeypatch, "from_k2")
    batch, k2_batch = names["batch"], names["k2_batch"]
    rates = batch.expected(batch.features(["lm", "acoustic"]) @ [1.0, 0.5]).value
    machines = lm.lattices_from_k2(names["arcs"], vocabulary=names["vocabulary"])
    scores = np.concatenate([one.to_k2().arcs[:, 3].view(np.float32) for one in machines])
    assert k2_batch.expected(-scores.astype(np.float64)).value == pytest.approx(rates, abs=1e-6)


def test_the_page_trains_with_pytorch(monkeypatch):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    names = run_page(monkeypatch, "torch")
    features, shares = names["features"], names["shares"]
    start = shares @ names["expected_rates"](names["batch"], features @ torch.tensor([1.0, 0.5]).double())
    assert names["loss"].item() < start.item() - 0.01
    k2_batch = names["k2_batch"]
    assert len(k2_batch) == 3


def test_the_page_trains_with_jax(monkeypatch):
    pytest.importorskip("jax", reason="JAX is not installed")
    names = run_page(monkeypatch, "jax")
    assert names["loss"](names["weights"]) < names["loss"](names["jnp"].array([1.0, 0.5])) - 0.01


def test_jax_s_gradients_are_those_through_all_paths():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    import jax.numpy as jnp

    from latticemetric.training.jax import expected_rates

    batch = Batch(GRAPHS, REFERENCES)
    weights = jnp.array([1.0, -2.0, 0.5])
    begins = np.cumsum(batch.sizes)[:-1]

    def through_paths(costs):
        parts = zip(uses_and_rates(), jnp.split(costs, begins), strict=True)
        return weights @ jnp.stack([jax.nn.softmax(-uses @ part) @ values for (uses, values), part in parts])

    def exactly(costs):
        return weights @ expected_rates(batch, costs)

    costs = jnp.array(some_costs(batch))
    value, gradient = jax.value_and_grad(through_paths)(costs)
    for function in (exactly, jax.jit(exactly)):
        found, slopes = jax.value_and_grad(function)(costs)
        assert float(function(costs)) == pytest.approx(float(value), abs=1e-5)
        assert float(found) == pytest.approx(float(value), abs=1e-5)
        assert np.asarray(slopes) == pytest.approx(np.asarray(gradient), abs=1e-5)


def test_jax_s_gradients_are_finite_differences():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    from jax.test_util import check_grads

    from latticemetric.training.jax import expected_rates

    batch = Batch(GRAPHS, REFERENCES, "2-grr")
    check_grads(lambda costs: expected_rates(batch, costs), (jax.numpy.array(some_costs(batch)),), 1, ["rev"])


def test_jax_s_costs_that_are_not_finite_are_named():
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    from latticemetric.training.jax import expected_rates

    batch = Batch(GRAPHS, REFERENCES)
    costs = some_costs(batch)
    costs[batch.sizes[0] + 1] = np.nan
    costs = jax.numpy.array(costs)

    def total(costs):
        return expected_rates(batch, costs).sum()

    for function in (total, jax.grad(total), jax.value_and_grad(total)):
        with pytest.raises(lm.InputError, match=r"^graph 1: cost 1 is nan; give finite numbers"):
            function(costs)
    for function in (jax.jit(total), jax.jit(jax.grad(total))):
        with pytest.raises(RuntimeError, match="graph 1: cost 1 is nan; give finite numbers"):
            jax.block_until_ready(function(costs))
