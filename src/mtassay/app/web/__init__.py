"""The review page: a small server on which several people answer questions about outputs.

Each question is shown with the lines and answers of its method. `application` combines the parts: `pages` for
people, `interface` for programs, `visits` for identities, `guard` for forbidden requests.
"""
