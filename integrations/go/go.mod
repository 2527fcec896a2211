module hsdiff.org/hsdifftest

go 1.21
