"""Storage and computation: the workspace, executors, worker processes, calls over HTTP."""
