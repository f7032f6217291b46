// The repository list filters live; the calendar of commits is drawn from its data attribute, seven digits a week.

(() => {
  "use strict";

  const find = document.getElementById("find");
  find.addEventListener("input", () => {
    const shown = Harbor.filterRows(document.querySelectorAll(".repo"), find.value);
    document.getElementById("no-repositories").hidden = shown > 0;
  });

  const heat = document.getElementById("heat");
  for (const level of heat.dataset.levels) {
    const day = document.createElement("i");
    day.dataset.level = level;
    heat.append(day);
  }
})();
