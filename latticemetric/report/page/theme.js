// Before anything is painted: the theme that the reader chose, if storage remembers one.
try {
  const chosen = localStorage.getItem("latticemetric-theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch { /* No storage: the system's theme it is. */ }
