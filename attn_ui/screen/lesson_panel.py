"""The panel of a lesson, beside its figure: text, questions, and the way through its steps.

The link holds the lesson and the step (`attn_ui.base.link_options`); answers are kept in the session alone.
"""

import html
from typing import Any
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from attn_ui.base.link_options import LESSON, framing
from attn_ui.base.markdown import plain, quoted
from attn_ui.lessons.answers import (
    Truth,
    fill_in,
    is_right,
    is_share_in_percent,
    read_number,
    states_truth,
    truth,
    without_markup,
)
from attn_ui.lessons.figures import shown_answer, shown_name, tables_of
from attn_ui.lessons.lesson import Digression, Lesson, LessonQuestion, LessonStep, LessonText
from attn_ui.lessons.shelf import shelf
from attn_ui.screen.address import address_items
from attn_ui.screen.slider_fragment import run_alone
from attn_ui.streamlit_inside import markup
from attn_words import _, _c, paragraph

_TRIES = "_lesson_tries"  # answers, by lesson, step and the question's index in it
_LAST = "_lesson_last"  # the name of the lesson that was shown last, and the address of its step
_SHOWN = "_lesson_shown"  # the questions whose answers were revealed
MOST_PILLS = 8  # names side by side; more are in a drop-down list
TRIES_BEFORE = 1  # wrong answers; after one more, the right one can be revealed
_DONE = "_lesson_done"  # the questions that are answered rightly, or revealed
_HINTED = "_lesson_hinted"  # the addresses of steps at which a hint was given
Place = tuple[str, str, int]


def show() -> None:
    """Show the panel where the link names a lesson; nothing otherwise."""
    lesson_name = st.query_params.get(LESSON.name)
    if lesson_name == "":  # the lesson was left
        del st.query_params[LESSON.name]
        st.session_state.pop(_LAST, None)
    if not lesson_name:
        _lead_back()
        return
    name, step = lesson_name.partition(".")[::2]
    on_shelf = shelf()
    lesson = on_shelf.lesson(name)
    st.html(f"<style>{markup.lesson_room()}</style>")
    with st.container(key="lesson"):
        if lesson is None:
            st.warning(
                _(
                    "The link's `lesson` was {name}; there are: {names}.",
                    name=quoted(name),
                    names=", ".join(on_shelf.lessons),
                ),
                icon=":material/link_off:",
            )
            for complaint in on_shelf.complaints:
                st.caption(plain(complaint))
            return
        at = lesson.step(step)
        if at is None:  # the page at this address may have nothing to do with it
            if step:
                st.caption(_("This lesson has no step called {name}.", name=quoted(step)))
            st.html(f'<ul class="lessons">{_list_item(lesson)}</ul>')
            return
        _walk(lesson, at)


def first_step(query: str) -> str:
    """Return the address of a lesson's first step, where a query names a lesson without one; "" otherwise.

    It is relative to any page, and keeps the settings of the query that all pages have.
    """
    query_values = dict(parse_qsl(query))
    lesson = shelf().lesson(query_values[LESSON.name]) if LESSON.name in query_values else None
    if lesson is None:
        return ""
    names = {each.name for each in framing(())} - {LESSON.name} | {"embed"}
    settings = {name: text for name, text in query_values.items() if name in names}
    return f"{href(lesson.steps[0].link, lesson, lesson.steps[0])}&{urlencode(settings)}".rstrip("&")


def _lead_back() -> None:
    """Offer the way back to a lesson that was left by the navigation."""
    if last := st.session_state.get(_LAST):
        name, address = last
        lesson = shelf().lessons.get(name)
        title = f"<b>{html.escape(lesson.title if lesson else name)}</b>"
        back = _("Back to the lesson {title}", title=title)
        st.html(f'<a class="lesson-return" href="{address}">{back}</a>', width="content")


def list_lessons() -> None:
    """Show all lessons, each a link to its first step, and the faults of those that could not be opened."""
    on_shelf = shelf()
    items = "".join(map(_list_item, on_shelf.lessons.values()))
    with st.container(key="lessons"):
        st.html(f'<ul class="lessons">{items}</ul>')
        for complaint in on_shelf.complaints:
            st.warning(
                _("A lesson could not be opened: {reason}", reason=plain(complaint)),
                icon=":material/description:",
            )


def _list_item(lesson: Lesson) -> str:
    to = first_step_address(lesson)
    title, about = html.escape(lesson.title), html.escape(lesson.about)
    return f'<li><a href="{to}">{title}</a> <span>{_length(lesson)}</span><p>{about}</p></li>'


def _length(lesson: Lesson) -> str:
    n_questions = sum(len(step.questions) for step in lesson.steps)
    counts = {"minutes": lesson.minutes, "steps": len(lesson.steps)}
    if n_questions:
        return _("{minutes} minutes, {steps} steps, {questions} questions", **counts, questions=n_questions)
    return _("{minutes} minutes, {steps} steps", **counts)


def href(link: str, lesson: Lesson, step: LessonStep) -> str:
    """Return the address of a step, relative to any page.

    >>> href("single-head?t=0.5", Lesson("why", "", "", 1, ()), LessonStep("two", "", "", 1))
    'single-head?t=0.5&lesson=why.two'
    """
    page, _, query = link.partition("?")
    pairs = [*parse_qsl(query, keep_blank_values=True), (LESSON.name, f"{lesson.name}.{step.name}")]
    return f"{page.strip('/') or './'}?{urlencode(pairs)}"


def first_step_address(lesson: Lesson) -> str:
    """Return the address of a lesson's first step, as an attribute of HTML."""
    return _to(lesson, lesson.steps[0])


def _to(lesson: Lesson, step: LessonStep) -> str:
    """Return the address of a step, as an attribute of HTML; an embedded page stays embedded."""
    embedded = "&embed=true" if st.context.is_embedded else ""
    return html.escape(href(step.link, lesson, step) + embedded, quote=True)


def _walk(lesson: Lesson, at: int) -> None:
    step = lesson.steps[at]
    st.session_state[_LAST] = lesson.name, _to(lesson, step)
    st.html(_head(lesson, at))

    def parts() -> None:
        _show_parts(lesson, step)
        if step is lesson.steps[-1]:
            st.html(_end(lesson))

    run_alone(parts, parts)  # an answer runs it alone
    st.html(_foot(lesson, at))


def _head(lesson: Lesson, at: int) -> str:
    items = []
    for place, step in enumerate(lesson.steps):
        here = ' aria-current="step"' if place == at else ""
        css_class = ' class="lesson-done"' if _is_done(lesson, step) else ""
        label = html.escape(f"{place + 1}. {step.title}", quote=True)
        to = _to(lesson, step)
        items.append(f'<li><a href="{to}" title="{label}" aria-label="{label}"{here}{css_class}></a></li>')
    step = lesson.steps[at]
    count = _("{step} of {steps}", step=at + 1, steps=len(lesson.steps))
    fold, steps = _attribute(_("Fold the lesson")), _attribute(_("Steps"))
    return (
        f'<div class="lesson-head{"" if step.parts else " lesson-bare"}">'
        f"<p>{html.escape(lesson.title)}<span>{count}</span>"
        f'<input type="checkbox" class="lesson-fold" aria-label="{fold}"></p>'
        f'<nav aria-label="{steps}"><ol>{"".join(items)}</ol></nav>'
        f"<h2>{html.escape(step.title)}</h2></div>"
        + "".join(f'<p class="lesson-told" hidden>{html.escape(text)}</p>' for text in _narration(step))
    )


def _narration(step: LessonStep) -> list[str]:
    """Return what is shown over a projected figure, one by one: the step's questions, or its title."""
    return [without_markup(_with_numbers(question.text, step)) for question in step.questions] or [step.title]


def _foot(lesson: Lesson, at: int) -> str:
    steps = lesson.steps

    def way(to: int, label: str, rel: str) -> str:
        if not 0 <= to < len(steps):
            return f'<span class="lesson-{rel}"></span>'
        address = _to(lesson, steps[to])
        title = html.escape(steps[to].title, quote=True)
        return f'<a class="lesson-{rel}" rel="{rel}" href="{address}" title="{title}">{label}</a>'

    again = _to(lesson, steps[at])
    play = _("Play with every control; this brings the step’s own settings back")
    here, leave = _("Reset this step"), _("Leave the lesson")
    inside, outside = _attribute(_("Lesson")), _attribute(_("Elsewhere"))
    ways = way(at - 1, _("← Back"), "prev") + way(at + 1, _("Next →"), "next")
    return (
        f'<nav class="lesson-ways" aria-label="{inside}">{ways}</nav>'
        f'<nav class="lesson-more" aria-label="{outside}"><a class="lesson-again" '
        f'href="{again}" title="{_attribute(play)}">{here}</a>'
        f'<a class="lesson-leave" href="{_address_without_lesson()}">{leave}</a></nav>'
    )


def _end(lesson: Lesson) -> str:
    """Return a summary of a lesson: its sentence, first tries, steps worth another look, the next lesson."""
    questions = [
        (step, (lesson.name, step.name, index), part)
        for step in lesson.steps
        for index, part in enumerate(step.parts)
        if isinstance(part, LessonQuestion)
    ]
    missed_steps = {step.name: step for step, place, _part in questions if not _is_first_try(place)}
    lines = [lesson.about]
    if questions:
        right = sum(_is_first_try(place) for _step, place, _part in questions)
        lines.append(_("{right} of {all} questions right at the first try.", right=right, all=len(questions)))
    content = "".join(f"<p>{html.escape(line)}</p>" for line in lines)
    if missed_steps:
        links = (
            f'<a href="{_to(lesson, step)}">{html.escape(step.title)}</a>' for step in missed_steps.values()
        )
        again = html.escape(_("Worth another look:"))
        content += f"<p>{again} {', '.join(links)}</p>"
    others = list(shelf().lessons.values())
    if lesson in others[:-1]:
        other, following = others[others.index(lesson) + 1], html.escape(_("Next lesson:"))
        content += f'<p>{following} <a href="{first_step_address(other)}">{html.escape(other.title)}</a></p>'
    heading = html.escape(_("What this lesson showed"))
    return f'<section class="lesson-end"><h3>{heading}</h3>{content}</section>'


def _is_first_try(place: Place) -> bool:
    """Whether the first answer to a question was right, and the solution was not revealed."""
    return place in st.session_state.get(_DONE, ()) and len(_tries(place)) == 1 and place not in _shown_ones()


def _attribute(text: str) -> str:
    return html.escape(text, quote=True)


def _address_without_lesson() -> str:
    """Return the present address with an empty `lesson`, by which the lesson is left."""
    pairs = address_items(LESSON.name)
    embedded = [("embed", "true")] if st.context.is_embedded else []
    return html.escape(f"?{urlencode([*pairs, (LESSON.name, ''), *embedded])}", quote=True)


def _show_parts(lesson: Lesson, step: LessonStep) -> None:
    for index, part in enumerate(step.parts):
        if isinstance(part, LessonText):
            st.markdown(_with_numbers(part, step))
        elif isinstance(part, Digression):
            with st.expander(part.title):
                st.markdown(_with_numbers(part.text, step))
        else:
            with st.container(key=f"lesson-asks-{index}"):
                _ask((lesson.name, step.name, index), part, step)
    if waiting := _waiting(lesson, step):
        st.html('<i class="lesson-waits"></i>' * waiting)


def _waiting(lesson: Lesson, step: LessonStep) -> int:
    """Count the open questions until which the figure's caption is hidden: it may answer them (lesson.css).

    After a hint it is 0, because the hint may refer to the caption.
    """
    if (lesson.name, step.name) in st.session_state.get(_HINTED, ()):
        return 0
    answered_steps = st.session_state.get(_DONE, ())
    questions = [index for index, part in enumerate(step.parts) if isinstance(part, LessonQuestion)]
    return sum((lesson.name, step.name, index) not in answered_steps for index in questions)


def _with_numbers(text: LessonText, step: LessonStep) -> str:
    """Return a text with its numbers, or with a note on what cannot be computed."""
    try:
        return fill_in(text, step.link, tables_of, shown_name)
    except (ValueError, LookupError) as error:
        return f"{text.markdown}\n\n*{_fault_sentence(text.line, error)}*"


def _fault_sentence(line: int, error: Exception) -> str:
    return _("Line {line} of this lesson: wanted {wanted}", line=line, wanted=plain(str(error)))


def _ask(place: Place, question: LessonQuestion, step: LessonStep) -> None:
    st.markdown(_with_numbers(question.text, step))
    try:
        true = truth(question, step.link, tables_of)
    except (ValueError, LookupError) as error:
        st.warning(_fault_sentence(question.line, error))
        return
    if not states_truth(question, true):
        st.warning(
            _(
                "Line {line} of this lesson states {stated}; what is computed is {answer} ({why}).",
                line=question.line,
                stated=plain(question.answer),
                answer=plain(shown_answer(question, step, true.answer)),
                why=plain(true.reason),
            )
        )
    tries = _tries(place)
    is_shown = place in _shown_ones()
    right = bool(tries) and is_right(question, true, tries[-1])
    if is_shown or right:
        st.session_state.setdefault(_DONE, set()).add(place)
    _show_control(place, question, true, step)
    with st.container(key=f"lesson-reply-{place[2]}"):
        if is_shown or right:
            _show_verdict(question, true, step, right=right)
        elif tries:
            _show_hint(place, question, true, step)


def _show_control(place: Place, question: LessonQuestion, true: Truth, step: LessonStep) -> None:
    """Show the control for the answer; each change is a try."""
    key = f"lesson-{'-'.join(map(str, place))}"
    last = next(iter(_tries(place)[-1:]), None)

    if true.number is not None:

        def on_typed() -> None:
            text = st.session_state[key]
            try:
                _try(place, read_number(text))
            except ValueError:
                _try(place, text) if text.strip() else None

        with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}-row"):
            st.text_input(
                _("Your answer"),
                value="" if last is None else str(last),
                key=key,
                on_change=on_typed,
                placeholder=_("a number"),
                label_visibility="collapsed",
                max_chars=40,
            )
            st.button(_c("an answer", "Check"), key=f"{key}-check")  # the field then loses the focus
        return

    def on_chosen() -> None:
        if st.session_state[key] is not None:
            _try(place, st.session_state[key])

    choose: Any = st.pills if len(true.options) <= MOST_PILLS else st.selectbox
    more = {"default": last} if choose is st.pills else {"index": None, "placeholder": _("Choose")}
    choose(
        _("Your answer"),
        true.options,
        format_func={each: shown_answer(question, step, each) for each in true.options}.__getitem__,
        key=key,
        on_change=on_chosen,
        label_visibility="collapsed",
        **more,
    )


def _show_verdict(question: LessonQuestion, true: Truth, step: LessonStep, *, right: bool) -> None:
    """Show the verdict or the answer, and the reason."""
    answer = true.answer if true.number is not None else shown_answer(question, step, true.answer)
    verdict = _("✓ **Right.**") if right else _("The answer is **{answer}**.", answer=plain(answer))
    st.markdown(paragraph(verdict, _("Computed: {why}.", why=plain(true.reason))))
    if question.because:
        st.markdown(_with_numbers(question.because, step))


def _show_hint(place: Place, question: LessonQuestion, true: Truth, step: LessonStep) -> None:
    """Show the hint; after another try, also a button that reveals the answer."""
    tries = _tries(place)
    last = tries[-1]
    if true.number is not None and isinstance(last, str):
        hint = _("A number is wanted, as 0.25 or 25%; you typed {text}.", text=plain(last[:40]))
        st.markdown(hint)
        return
    is_number = isinstance(last, float)
    answer = f"{last:.6g}".replace("-", "−") if is_number else shown_answer(question, step, last)
    not_yet = _("✗ **Not yet:** {answer}.", answer=plain(answer))
    percent = ""
    if is_number and is_share_in_percent(question, true, last):
        percent = _("As a percentage it is typed {number}%.", number=answer)
    st.markdown(paragraph(not_yet, percent, plain(question.hint)))
    st.session_state.setdefault(_HINTED, set()).add(place[:2])
    valid_tries = [each for each in tries if true.number is None or not isinstance(each, str)]
    if len(valid_tries) > TRIES_BEFORE:
        st.button(_("Show the answer"), key=f"lesson-show-{place[2]}", on_click=_show, args=(place,))


def _tries(place: Place) -> list[Any]:
    tries: dict[Place, list[Any]] = st.session_state.setdefault(_TRIES, {})
    return tries.get(place, [])


def _try(place: Place, answer: str | float) -> None:
    st.session_state.setdefault(_TRIES, {}).setdefault(place, []).append(answer)


def _shown_ones() -> set[Place]:
    revealed: set[Place] = st.session_state.setdefault(_SHOWN, set())
    return revealed


def _show(place: Place) -> None:
    _shown_ones().add(place)


def _is_done(lesson: Lesson, step: LessonStep) -> bool:
    """Tell whether each question of a step was answered rightly or revealed; False without questions."""
    questions = [index for index, part in enumerate(step.parts) if isinstance(part, LessonQuestion)]
    return bool(questions) and all(
        (lesson.name, step.name, index) in st.session_state.get(_DONE, set()) for index in questions
    )
