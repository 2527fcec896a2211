module example.org/shop

go 1.21

require hsdiff.org/hsdifftest v0.0.0

replace hsdiff.org/hsdifftest => ../../../../integrations/go
