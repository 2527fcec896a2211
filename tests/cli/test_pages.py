#!/usr/bin/env python3
"""Help, manual pages and completions tell of every command and option, and are well formed.

usage: test_pages.py HSDIFF
The pages are generated from the tables that the parser reads; this holds them against what the program accepts. Manual pages
are formatted by groff with all warnings, completions read by bash, where these are installed.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile


VALUES = {"sort": "name", "table": "roots", "color": "never", "min": "1M", "memory": "64M", "key": "A:b", "match": "counts", "also": "json=x", "stacks": "sites"}  # "1" does for the others


def run(hsdiff, *arguments):
    """Standard output of a run that must succeed in silence."""
    result = subprocess.run([hsdiff, *arguments], capture_output=True, text=True, check=False)
    if result.returncode != 0 or result.stderr:
        raise SystemExit(f"{arguments}: exit status {result.returncode}: {result.stderr}")
    return result.stdout


def formatted(page):
    """(text, warnings) of a manual page."""
    result = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", "-ww", "-rLL=100n"], input=page, capture_output=True, text=True,
                            check=False)
    return re.sub(r"-\n +", "-", result.stdout), result.stderr


def options_in(text):
    return set(re.findall(r"(?<![\w-])--([a-z][a-z0-9-]+)", text))


def check_help(hsdiff, commands):
    """Every command's help shows its usage, an example and --help, in 80 columns where the text is ours."""
    for command in commands:
        text = run(hsdiff, "help", command)
        if run(hsdiff, command, "--help") != text or run(hsdiff, "-h", command) != text:
            yield f"help of {command}: differs with the way to ask for it"
        if f"Usage: hsdiff {command}" not in text or f"\n  hsdiff" not in text and "| hsdiff" not in text:
            yield f"help of {command}: no usage or no example"
    for line in run(hsdiff, "--help").split("\n"):
        if len(line) > 80:
            yield f"--help: {len(line)} columns: {line}"
    if run(hsdiff).count("\n") != 12:
        yield f"without arguments: {run(hsdiff).count(chr(10))} lines, not 12"


def check_options(hsdiff, commands):
    """An option in the help of a command is one that the command takes, and no other is."""
    values = run(hsdiff, "--generate", "complete-zsh").replace("=[", " ")
    everything = options_in(run(hsdiff, "--generate", "complete-fish").replace(" -l ", " --"))
    for command in commands:
        shown = options_in("\n".join(line for line in run(hsdiff, "help", command).split("\n") if re.match(r" {2,6}-", line)))
        for option in everything:
            value = f"={VALUES.get(option, '1')}" if f"--{option} " in values else ""
            result = subprocess.run([hsdiff, command, f"--{option}{value}", "--help"], capture_output=True, text=True, check=False)
            refused = "is no option of" in result.stderr or f"takes no --{option}:" in result.stderr
            if refused == (option in shown) and option != "generate":
                yield f"{command} --{option}: shown: {option in shown}, refused: {refused}"


def check_manual(hsdiff, commands):
    """All sections, all options of the help, no warnings."""
    for command in [None, *commands]:
        page = run(hsdiff, "--generate", "man", *([command] if command else []))
        text, warnings = formatted(page)
        name = f"hsdiff-{command}.1" if command else "hsdiff.1"
        if warnings:
            yield f"{name}: {warnings}"
        sections = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"]
        for section in sections + ([] if command else ["COMMANDS", "OUTPUT", "FILES", "ENVIRONMENT", "HEAP DUMPS THAT ARE READ"]):
            if f"\n{section}\n" not in text:
                yield f"{name}: no section {section}"
        help_text = run(hsdiff, "help", command or "diff")
        missing = options_in(help_text) - options_in(text)
        if missing:
            yield f"{name}: options missing: {sorted(missing)}"
        if not command and not all(f"hsdiff-{other}(1)" in re.sub(r"\s", "", text) for other in commands):
            yield f"{name}: a command is missing under SEE ALSO"


def check_bash(hsdiff, commands):
    """bash completes commands, options and values."""
    script = run(hsdiff, "--generate", "complete-bash")
    for words, wanted in (("hsdiff ver", "verify"), ("hsdiff a b --form", "--format"), ("hsdiff a b --format js", "json"),
                          ("hsdiff import --fro", "--from"), ("hsdiff help chec", "check"), ("hsdiff help outp", "output"),
                          ("hsdiff fleet comp", "compact"), ("hsdiff import --from v", "v8"), ("hsdiff export a --to hp", "hprof"),
                          ("hsdiff dump a --only own", "owned"), ("hsdiff a b -s perc", "percent"), ("hsdiff a b --match st", "structure")):
        parts = words.split()
        line = f"COMP_WORDS=({words}); COMP_CWORD={len(parts) - 1}; _hsdiff; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        result = subprocess.run(["bash", "-c", script + "\n" + line], capture_output=True, text=True, check=False)
        if wanted not in result.stdout.split() or result.stderr:
            yield f"bash: '{words}' gives {result.stdout.split()}: {result.stderr}"
    for command in commands:
        if command not in script:
            yield f"bash: no {command}"


def check_offers(hsdiff, commands):
    """zsh and fish offer for a command the options that its help shows, and no other; where none is named, those of diff."""
    zsh, fish = run(hsdiff, "--generate", "complete-zsh"), run(hsdiff, "--generate", "complete-fish")
    options = re.findall(r"^  '--([a-z][a-z0-9-]+)[=\[]", zsh, re.MULTILINE)
    rows = re.findall(r"^complete -c hsdiff(?: -n '(not )?__fish_seen_subcommand_from ([^']*)')? -l ([a-z][a-z0-9-]+)", fish, re.MULTILINE)
    for command in [*commands, None]:
        shown = options_in("\n".join(line for line in run(hsdiff, "help", command or "diff").split("\n") if re.match(r" {2,6}-", line)))
        places = re.search(rf"^  {re.escape(command or '*') if command != 'diff' else '[*]'}\) _arguments -s(.*)", zsh, re.MULTILINE)[1]
        offered = {
            "zsh": {options[int(place) - 1] for place in re.findall(r"[$]o\[(\d+)\]", places)},
            "fish": {name for negated, others, name in rows if not others or (command in others.split()) != bool(negated)},
        }
        for shell, names in offered.items():
            if names != shown:
                yield f"{shell}: hsdiff {command}: too few: {sorted(shown - names)}, too many: {sorted(names - shown)}"


def main():
    hsdiff = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder: # --output=1 --help writes a file
        os.chdir(folder)
        result = check_all(hsdiff)
        os.chdir("/")
    return result


def check_all(hsdiff):
    page = run(hsdiff, "--help")
    commands = re.findall(r"^  (\w+) ", page[page.index("\nCommands:\n"):page.index("\nOptions of")], re.MULTILINE)
    problems = list(check_help(hsdiff, commands)) + list(check_options(hsdiff, commands))
    if shutil.which("groff"):
        problems += check_manual(hsdiff, commands)
    problems += check_bash(hsdiff, commands)
    problems += check_offers(hsdiff, commands)
    for shell in ("zsh", "fish"):
        script = run(hsdiff, "--generate", "complete-" + shell)
        problems += [f"{shell}: no {command}" for command in commands if command not in script]
        if shutil.which(shell) and subprocess.run([shell, "-n"], input=script, text=True, check=False).returncode != 0:
            problems.append(f"{shell} cannot read its completions")
    for problem in problems:
        print(problem)
    print(f"{len(commands)} commands, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
