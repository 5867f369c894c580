"""The review page: a small server on which people answer what machines cannot, several at once.

It shows any question of any method by that method's own lines and answers. `application` puts it together:
`pages` for people, `interface` for programs, `visits` for who asks, `guard` for what no request may do.
"""
