"""A handler of logging is added for each job, to have its lines in a buffer, and none is taken off."""
import io
import logging

import stage

logger = logging.getLogger("shop.jobs")
logger.propagate = False


class JobHandler(logging.StreamHandler):
    def __init__(self, number):
        super().__init__(io.StringIO())
        self.number = number


def run_job(number):
    logger.addHandler(JobHandler(number))


stage.play(run_job)
