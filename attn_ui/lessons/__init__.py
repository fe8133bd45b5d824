"""Lessons: Markdown files that lead through states of the app, with questions about numbers computed there.

`read` reads a file into a `lesson.Lesson`; `quantity` computes a number from the figure of a link; `answers`
computes answers and compares; `check` reports the faults of a lesson; `shelf` has every lesson of this app by
its name. None of them needs a session.
"""
