// Sets the theme before the first paint; src/ui/shell/useTheme.ts follows what happens later.
(function () {
  var saved = null;
  try {
    saved = localStorage.getItem("palimpsest.theme");
  } catch (e) {
    // Storage is forbidden here: the system's theme it is.
  }
  var dark = saved ? saved === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
