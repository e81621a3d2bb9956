"""`core eval recognition`: one file a suite, the run that composes them, and the tables for people."""

from experiments.recognition_eval.run import evaluate_recognition as evaluate_recognition
from experiments.recognition_eval.run import sample_word_problems as sample_word_problems
from experiments.recognition_eval.show import show as show

__all__ = ["evaluate_recognition", "sample_word_problems", "show"]
