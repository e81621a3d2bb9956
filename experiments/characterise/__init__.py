"""`core characterise`: when the graph constraint engages, what it does to a walk, and why.

Each part is a function that returns a plain dict, ready for JSON; `figures` draws them on given axes.
"""

from experiments.characterise.ablation import losses as losses
from experiments.characterise.exhaust import exhaustion as exhaustion
from experiments.characterise.forms import engagement_by_form as engagement_by_form
from experiments.characterise.gains import held_out as held_out
from experiments.characterise.gains import lift as lift
from experiments.characterise.nearness import overlap as overlap
from experiments.characterise.run import characterise as characterise
from experiments.characterise.sweep import top_k_sweep as top_k_sweep
from experiments.characterise.verdict import follows as follows
