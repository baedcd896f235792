"""METEOR (Banerjee & Lavie 2005), its alignments exact."""

from latticemetric.metrics.meteor.alignment import MeteorAlignment as MeteorAlignment
from latticemetric.metrics.meteor.alignment import MeteorPair as MeteorPair
from latticemetric.metrics.meteor.metric import METEOR as METEOR
