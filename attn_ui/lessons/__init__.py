"""Lessons: a Markdown file leads through states of the app, and asks for numbers that are computed there.

`read` reads a file into a `lesson.Lesson`; `quantity` is what a question asks for, computed from the figure
of a link; `answers` computes and compares; `check` says what in a lesson is not so; `shelf` has every lesson
of this app by its name. None of it knows a session.
"""
