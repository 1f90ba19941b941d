"""Names of reel.tf beside TensorFlow 2.21's recorded results (tf_case.py): values, gradients, classes of errors."""

import pytest

import reel.tf as tf
import tf_case


@pytest.mark.parametrize("family", tf_case.families())
def test_results_are_those_of_tensorflow(family):
    known, found = tf_case.recorded(family), []
    for case in tf_case.cases(family):
        differs = tf_case.check(tf, case, known[case.text])
        if bool(differs) != ("differs" in case.options):
            found.append("\n    ".join([case.text, *(differs or ["no longer differs"])]))
    assert not found, f"{len(found)} of {len(known)} cases:\n" + "\n".join(found)


@pytest.mark.parametrize("family", tf_case.families())
def test_records_are_of_these_cases(family):
    assert list(tf_case.recorded(family)) == list(dict.fromkeys(c.text for c in tf_case.cases(family)))
