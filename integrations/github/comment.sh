#!/bin/bash
# Writes the answer of the check as a comment of the pull request NUMBER, in the place of the one that an earlier run wrote. NAME tells several gates apart.
set -euo pipefail
out=$PWD/hsdiff-out
mark="<!-- hsdiff $NAME -->"
[ -f "$out/check.md" ] || exit 0

body=$(mktemp)
{
    printf '%s\n' "$mark"
    cat "$out/check.md"
    if [ -f "$out/check-baseline.md" ]; then printf '\n' && cat "$out/check-baseline.md"; fi
    # shellcheck disable=SC2016 # marks of Markdown
    printf '\nThe page and the captures are in the artifact `%s` of [this run](%s/%s/actions/runs/%s).\n' "$NAME" "$GITHUB_SERVER_URL" "$GITHUB_REPOSITORY" "$GITHUB_RUN_ID"
} >"$body"

comments=repos/$GITHUB_REPOSITORY/issues
id=$(gh api --paginate "$comments/$NUMBER/comments" --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | head -n 1)
if [ -n "$id" ]; then
    gh api --silent --method PATCH "$comments/comments/$id" --field "body=@$body"
else
    gh api --silent --method POST "$comments/$NUMBER/comments" --field "body=@$body"
fi
