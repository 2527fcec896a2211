#!/usr/bin/env python3
"""Runs a script of doc/ci as a build would, against a service that leaks or one that does not.

usage: test_scripts.py node|jvm|native leaks|clean|fails …

fails: the service ends at once, does not answer, or the script is interrupted: a status that is no pass, and nothing goes on running.
"""
import socket

from kit import SAMPLES, Scratch, arguments, check_gate, check_stopped, fail, need

# On a slow machine a script may take long; what it does is the same.
PATIENCE = {"WAIT": "100"}


def run_script(scratch, sample, **variables):
    return scratch.run([f"ci/{sample}.sh"], **(SAMPLES[sample]["service"] | PATIENCE | variables))


def test_gate(scratch, sample, leaks):
    status, output = run_script(scratch, sample, **(SAMPLES[sample]["leak"] if leaks else {}))
    check_gate(scratch, sample, leaks, status, output)


def expect(what, status, output, expected_status, expected_text):
    if status != expected_status or expected_text not in output:
        fail(f"{what}: exit status {status}\n{output}")


def test_failures(scratch, sample):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        status, output = run_script(scratch, sample, PORT=str(taken.getsockname()[1]))
    expect("cannot listen", status, output, 2, "the service ended while waiting for answer")
    status, output = run_script(scratch, sample, URL="http://127.0.0.1:1/", WAIT="1")
    expect("does not answer", status, output, 2, "no answer from http://127.0.0.1:1/ within 1 seconds")
    check_stopped(scratch)
    if sample != "native":  # whose script says what its service is
        status, output = run_script(scratch, sample, SERVICE="sleep 60", URL="", WAIT="1")
        expect("prints no address", status, output, 2, "the service printed no http:// address to ask; set URL")
    status, output = run_script(scratch, sample, LOAD="curl -fsS http://127.0.0.1:1/")
    expect("no load", status, output, 2, "the load failed")
    check_stopped(scratch)
    status, output = run_script(scratch, sample, LOAD="kill -TERM $PPID")
    expect("interrupted", status, output, 143, "")
    check_stopped(scratch)


def main():
    args = arguments("sample", "how")
    need(args.sample)
    scratch = Scratch(args)
    if args.sample == "jvm":
        scratch.compile_java()
    if args.how == "fails":
        test_failures(scratch, args.sample)
    else:
        test_gate(scratch, args.sample, args.how == "leaks")


main()
