package shop

import (
	"os"
	"strconv"
	"testing"

	"hsdiff.org/hsdifftest"
)

func rounds() hsdifftest.Option {
	count, err := strconv.Atoi(os.Getenv("ROUNDS"))
	if err != nil {
		count = 5
	}
	return hsdifftest.Rounds(count)
}

func open(t *testing.T) *Shop {
	shop := Open()
	t.Cleanup(shop.Close)
	return shop
}

func TestForgetsSessions(t *testing.T) {
	shop := open(t)
	hsdifftest.NoLeak(t, func() { shop.Serve(false, true) }, rounds(), hsdifftest.Calls(300))
}

func TestListens(t *testing.T) {
	t.Run("for ever", func(t *testing.T) {
		shop := open(t)
		hsdifftest.NoLeak(t, func() { shop.Serve(true, false) }, rounds(), hsdifftest.Calls(300))
	})
}

func TestLetsGo(t *testing.T) {
	shop := open(t)
	hsdifftest.NoLeak(t, func() { shop.Serve(true, true) }, rounds(), hsdifftest.Calls(300))
}

func TestMayKeepSessions(t *testing.T) {
	shop := open(t)
	hsdifftest.NoLeak(t, func() { shop.Serve(false, true) }, rounds(), hsdifftest.Calls(300), hsdifftest.Allow("*/shop.sessions*"))
}
