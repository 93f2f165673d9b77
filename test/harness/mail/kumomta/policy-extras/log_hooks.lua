-- Keeps what a hook was set up with, for the test to call.
return {
  new = function(self, options)
    self.options = options
  end,
}
