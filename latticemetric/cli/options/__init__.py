"""Options that several commands share: parsers of values, and groups of options.

If several groups have the same option, its field has the same name in all of them.
"""

from latticemetric.cli.options.computing import SEED, PointOptions, ResamplingOptions
from latticemetric.cli.options.fields import SettingsOptions
from latticemetric.cli.options.metrics import (
    PARAMETERS,
    OneRateOptions,
    RateOptions,
    metric_parameters,
    metrics_named,
)
from latticemetric.cli.options.output import (
    FRACTIONS,
    OUTPUT,
    PLOT,
    SHORT_SIGNATURE,
    CTMOutputOptions,
    CTMRateOutputOptions,
    GraphFormatOptions,
    OutputOptions,
    PlotOptions,
    PlottedOutputOptions,
    RateOutputOptions,
    format_option,
    lattices_option,
)
from latticemetric.cli.options.preparation import (
    IGNORE,
    LOWERCASE,
    NORMALIZE,
    TOKENIZE,
    IgnoringPreparationOptions,
    PreparationOptions,
)
from latticemetric.cli.options.reading import (
    LINE_STYLE,
    STYLE,
    UTT2SPK,
    CorpusOptions,
    PairedReadingOptions,
    ReadingOptions,
    ScoredReadingOptions,
)
from latticemetric.cli.options.running import KeepGoingOptions, RunOptions, ShardedRunOptions, WorkerOptions
from latticemetric.cli.options.values import (
    Number,
    cased_words,
    given,
    grammar_named,
    listed,
    numbers,
    refuse,
    weights,
    whole_numbers,
    word_list,
)
