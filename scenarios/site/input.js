// The input bench: every event of the pad and of the text field becomes one line of text in #events.
// Lines carry no time, so that the same input gives the same text.

(() => {
  "use strict";

  const events = document.getElementById("events");
  const pad = document.getElementById("pad");
  const notes = document.getElementById("notes");
  const longest = 500;
  const lines = [];
  let number = 0;

  const log = (text) => {
    number += 1;
    lines.push(`${String(number).padStart(4, "0")} ${text}`);
    if (lines.length > longest) lines.shift();
    events.textContent = lines.join("\n");
    events.scrollTop = events.scrollHeight;
    document.getElementById("event-count").textContent = number;
  };

  const modifiers = (event) => {
    const held = ["ctrl", "shift", "alt", "meta"].filter((name) => event[`${name}Key`]);
    return held.length === 0 ? "" : ` with=${held.join("+")}`;
  };
  /** Pixels from the top left corner of the pad, inside its border. */
  const place = (event) => {
    const box = pad.getBoundingClientRect();
    return `${Math.round(event.clientX - box.left - pad.clientLeft)},${Math.round(event.clientY - box.top - pad.clientTop)}`;
  };

  for (const type of ["mousedown", "mouseup", "click", "dblclick", "contextmenu", "auxclick"]) {
    pad.addEventListener(type, (event) => {
      const count = event.detail > 0 ? ` count=${event.detail}` : "";
      log(`${type} button=${event.button} at=${place(event)}${count}${modifiers(event)}`);
      // The browser's own menu and the paste of the middle button would cover or change what is being measured.
      if (type === "contextmenu" || type === "auxclick") event.preventDefault();
    });
  }
  pad.addEventListener("wheel", (event) => {
    event.preventDefault();
    log(`wheel dx=${event.deltaX} dy=${event.deltaY} at=${place(event)}${modifiers(event)}`);
  }, { passive: false });

  // A drag is a press that travels more than 3 px before the release, in the pad.
  let press = null;
  pad.addEventListener("pointerdown", (event) => {
    press = { x: event.clientX, y: event.clientY, at: place(event) };
    pad.setPointerCapture(event.pointerId);
  });
  pad.addEventListener("pointerup", (event) => {
    if (press === null) return;
    const [dx, dy] = [Math.round(event.clientX - press.x), Math.round(event.clientY - press.y)];
    if (Math.hypot(dx, dy) > 3) log(`drag from=${press.at} by=${dx},${dy}`);
    press = null;
  });
  pad.addEventListener("pointercancel", () => {
    press = null;
  });

  for (const element of [pad, notes]) {
    for (const type of ["keydown", "keyup"]) {
      element.addEventListener(type, (event) => {
        log(`${type} key=${JSON.stringify(event.key)} code=${event.code}${event.repeat ? " repeat" : ""}${modifiers(event)}`);
      });
    }
  }
  pad.addEventListener("keydown", (event) => {
    // Space and the arrows would scroll the page away from under the pointer; Tab must still leave the pad, and the browser keeps its shortcuts.
    const shortcut = event.ctrlKey || event.altKey || event.metaKey || /^F\d/.test(event.key);
    if (event.key !== "Tab" && !shortcut) event.preventDefault();
  });
  notes.addEventListener("input", () => {
    const { length } = Array.from(notes.value);
    document.getElementById("notes-length").textContent = `${length} ${length === 1 ? "character" : "characters"}`;
  });

  for (const box of document.querySelectorAll("#choices input")) {
    box.addEventListener("change", () => log(`change ${box.id}=${box.type === "radio" ? box.value : box.checked}`));
  }
  const berth = document.getElementById("berth");
  berth.addEventListener("change", () => log(`change berth=${berth.value}`));
  const depth = document.getElementById("depth");
  depth.addEventListener("input", () => {
    document.getElementById("depth-value").textContent = `${depth.value} m`;
  });
  depth.addEventListener("change", () => log(`change depth=${depth.value}`));

  document.getElementById("clear").addEventListener("click", () => {
    number = 0;
    lines.length = 0;
    events.textContent = "";
    document.getElementById("event-count").textContent = "0";
  });

  // The crate follows the pointer inside its yard and counts as delivered when its centre is dropped in the zone.
  const yard = document.getElementById("yard");
  const crate = document.getElementById("crate");
  const zone = document.getElementById("zone");
  let grip = null;

  const inZone = () => {
    const box = crate.getBoundingClientRect();
    const goal = zone.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    return x >= goal.left && x <= goal.right && y >= goal.top && y <= goal.bottom;
  };
  crate.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    crate.setPointerCapture(event.pointerId);
    grip = { x: event.clientX - crate.offsetLeft, y: event.clientY - crate.offsetTop };
    log("crate picked up");
  });
  crate.addEventListener("pointermove", (event) => {
    if (grip === null) return;
    const clamp = (value, most) => Math.max(0, Math.min(value, most));
    crate.style.left = `${clamp(event.clientX - grip.x, yard.clientWidth - crate.offsetWidth)}px`;
    crate.style.top = `${clamp(event.clientY - grip.y, yard.clientHeight - crate.offsetHeight)}px`;
    zone.classList.toggle("over", inZone());
  });
  const drop = () => {
    if (grip === null) return;
    grip = null;
    zone.classList.remove("over");
    const delivered = inZone();
    zone.classList.toggle("filled", delivered);
    document.getElementById("delivery").textContent = delivered ? "Delivered" : "Not delivered";
    log(`crate dropped ${delivered ? "in" : "outside"} the zone`);
  };
  crate.addEventListener("pointerup", drop);
  crate.addEventListener("pointercancel", drop);
})();
