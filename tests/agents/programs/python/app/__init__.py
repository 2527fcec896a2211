"""An application that leaks, one module a way of leaking: leak(n) plants n more objects of class Leaked and what holds each of them."""
