# The names that `latticemetric.evaluation` imports when they are first used; type checkers read them here.

from latticemetric.evaluation.agreement import Agreement as Agreement
from latticemetric.evaluation.agreement import correlate as correlate
from latticemetric.evaluation.coefficients import kendall as kendall
from latticemetric.evaluation.coefficients import pearson as pearson
from latticemetric.evaluation.coefficients import spearman as spearman
from latticemetric.evaluation.grouping import Grouping as Grouping
from latticemetric.evaluation.grouping import group_segments as group_segments
from latticemetric.evaluation.human import HumanScores as HumanScores
from latticemetric.evaluation.human import human_scores as human_scores
from latticemetric.evaluation.significance import williams as williams
from latticemetric.evaluation.systems import SystemTables as SystemTables
from latticemetric.evaluation.systems import system_tables as system_tables
from latticemetric.evaluation.word_tags.discrimination import discriminate as discriminate
from latticemetric.evaluation.word_tags.discrimination import synthetic_tags as synthetic_tags
from latticemetric.evaluation.word_tags.evaluation import TagEvaluation as TagEvaluation
from latticemetric.evaluation.word_tags.evaluation import sweep_thresholds as sweep_thresholds
from latticemetric.evaluation.word_tags.metrics import TAG_METRICS as TAG_METRICS
from latticemetric.evaluation.word_tags.metrics import tag_scores as tag_scores
from latticemetric.evaluation.word_tags.metrics import tag_table as tag_table
from latticemetric.evaluation.word_tags.sampling import repeated_sampling as repeated_sampling
from latticemetric.evaluation.word_tags.tags import WordTags as WordTags
