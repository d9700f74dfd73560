"""What the jobs give back beside bytes and events."""

from llm_projections.model.results import AnswerShape, HttpAnswer, HttpRequest


def test_a_shape_asks_for_nothing_by_default():
    """A whole answer, without extras; each shape has an echo of its own."""
    assert AnswerShape(False, False, False, None, {}) == AnswerShape()
    assert AnswerShape().echo is not AnswerShape().echo


def test_credentials_and_bodies_are_left_out_of_the_repr():
    """A request can be logged by accident without telling what it holds."""
    request = HttpRequest("POST", "https://x/", (("authorization", "Bearer secret"),), b"private")
    assert "secret" not in repr(request)
    assert "private" not in repr(request) + repr(HttpAnswer(200, (), b"private"))
