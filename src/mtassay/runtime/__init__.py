"""Where things are kept and computed: the workspace, executors, worker processes, calls over HTTP."""
