"""The review page: a small server on which several people answer questions that machines cannot.

It shows any question of any method by that method's own lines and answers. `application` combines the parts:
`pages` for people, `interface` for programs, `visits` for identities, `guard` for forbidden requests.
"""
