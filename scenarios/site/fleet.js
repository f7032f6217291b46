// The fleet dashboard: draws the charts from their data attributes and the host table from the list below.
// The clock is the only thing on the whole site that depends on the time.

(() => {
  "use strict";

  const hosts = [
    { name: "quay-1", status: "Healthy", role: "web", region: "north", cpu: 58, memory: 61, load: "41 44 52 60 63 66 64 61 60 59 58 58", up: "41 d", address: "10.20.1.11", release: "keel 2.8.1", disk: 47, note: "No alerts in the last 30 days." },
    { name: "quay-2", status: "Healthy", role: "web", region: "north", cpu: 61, memory: 64, load: "43 45 55 62 66 68 66 65 63 62 61 61", up: "41 d", address: "10.20.1.12", release: "keel 2.8.1", disk: 49, note: "No alerts in the last 30 days." },
    { name: "quay-3", status: "Degraded", role: "web", region: "south", cpu: 87, memory: 79, load: "48 50 58 66 70 72 75 79 82 84 86 87", up: "12 d", address: "10.30.1.13", release: "keel 2.8.0", disk: 52, note: "CPU above 80 % for 3 hours: takes the traffic of mole-2." },
    { name: "mole-1", status: "Healthy", role: "database", region: "north", cpu: 71, memory: 83, load: "60 61 64 68 71 73 74 73 72 72 71 71", up: "96 d", address: "10.20.2.21", release: "keel 2.8.1", disk: 68, note: "Primary. Replication lag 0.2 s." },
    { name: "mole-2", status: "Offline", role: "database", region: "south", cpu: 0, memory: 0, load: "62 63 66 70 72 74 71 40 0 0 0 0", up: "—", address: "10.30.2.22", release: "keel 2.8.1", disk: 71, note: "Lost its lease on 12 May at 09:38, see keel #142." },
    { name: "pier-1", status: "Healthy", role: "runner", region: "north", cpu: 44, memory: 38, load: "20 35 62 40 28 55 71 38 30 52 48 44", up: "8 d", address: "10.20.3.31", release: "capstan 0.14.2", disk: 33, note: "2 of 4 slots in use." },
    { name: "pier-2", status: "Draining", role: "runner", region: "south", cpu: 18, memory: 27, load: "52 61 58 49 66 57 44 38 31 26 21 18", up: "8 d", address: "10.30.3.32", release: "capstan 0.14.1", disk: 36, note: "Drained by petra for the update to 0.14.2." },
    { name: "cove-1", status: "Healthy", role: "cache", region: "north", cpu: 23, memory: 72, load: "18 19 21 24 25 26 25 25 24 24 23 23", up: "63 d", address: "10.20.4.41", release: "keel 2.8.1", disk: 12, note: "Hit rate 94.1 %." },
    { name: "cove-2", status: "Healthy", role: "cache", region: "south", cpu: 25, memory: 74, load: "19 20 22 25 27 28 27 26 26 25 25 25", up: "63 d", address: "10.30.4.42", release: "keel 2.8.1", disk: 12, note: "Hit rate 93.7 %." },
    { name: "hold-1", status: "Healthy", role: "backup", region: "south", cpu: 12, memory: 31, load: "80 64 22 10 9 9 10 11 10 12 11 12", up: "120 d", address: "10.30.5.51", release: "ballast 1.9.0", disk: 74, note: "Last rehearsed restore: 12 May, 03:10, complete." },
  ];
  const tones = { Healthy: "good", Degraded: "warn", Draining: "info", Offline: "bad" };

  /** An SVG element with its attributes. */
  const shape = (name, attributes, text = "") => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = text;
    return element;
  };
  const numbers = (svg) => svg.dataset.points.split(" ").map(Number);

  const drawSpark = (svg, width, height, least, most) => {
    const points = numbers(svg);
    const x = (index) => (index / (points.length - 1)) * width;
    const y = (value) => height - 2 - ((value - least) / (most - least)) * (height - 4);
    const line = points.map((value, index) => `${index === 0 ? "M" : "L"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.append(shape("path", { class: "area", d: `${line}V${height}H0Z` }), shape("path", { class: "line", d: line }));
  };

  const drawBars = (svg) => {
    const [width, height, left, bottom] = [686, 168, 24, 18];
    const points = numbers(svg);
    const [most, step] = [Number(svg.dataset.most), Number(svg.dataset.step)];
    const y = (value) => Math.round((height - bottom) * (1 - value / most)) + 0.5;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    for (let value = 0; value <= most; value += step) {
      svg.append(shape("path", { class: "grid", d: `M${left} ${y(value)}H${width}` }));
      if (value < most) svg.append(shape("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, value));
    }
    const slot = (width - left) / points.length;
    points.forEach((value, hour) => {
      const x = Math.round(left + hour * slot + 4);
      const bar = shape("rect", { class: "bar", x, y: y(value) - 0.5, width: Math.round(slot - 8), height: y(0) - y(value) });
      bar.append(shape("title", {}, `${String(hour).padStart(2, "0")}:00  ${value} million`));
      svg.append(bar);
      if (hour % 3 === 0) svg.append(shape("text", { x: x + (slot - 8) / 2, y: height - 3, "text-anchor": "middle" }, `${String(hour).padStart(2, "0")}:00`));
    });
  };

  const meter = (value) => `<span class="meter${value > 75 ? " warn" : ""}" style="--part: ${value}%"></span><span class="meter-value">${value} %</span>`;

  const addHost = (host) => {
    const body = document.getElementById("host-rows");
    const tone = tones[host.status];
    body.insertAdjacentHTML("beforeend", `
      <tr class="host" id="${host.name}">
        <th scope="row"><button type="button" class="disclose" aria-expanded="false"><span class="icon icon-chevron" aria-hidden="true"></span>${host.name}</button></th>
        <td><span class="badge tone-${tone}">${host.status}</span></td>
        <td>${host.role}</td><td>${host.region}</td>
        <td>${meter(host.cpu)}</td><td>${meter(host.memory)}</td>
        <td><svg class="spark small-spark tone-${tone}" data-points="${host.load}" role="img" aria-label="Load of ${host.name}, last 12 hours"></svg></td>
        <td class="number">${host.up}</td>
      </tr>
      <tr class="details" id="${host.name}-details">
        <td colspan="8"><dl class="facts">
          <div><dt>Address</dt><dd><code>${host.address}</code></dd></div>
          <div><dt>Release</dt><dd>${host.release}</dd></div>
          <div><dt>Disk</dt><dd>${host.disk} % used</dd></div>
          <div class="wide-fact"><dt>Note</dt><dd>${host.note}</dd></div>
        </dl></td>
      </tr>`);
    // A closed details row is not in the document, so that the table has exactly the rows that can be seen.
    const row = document.getElementById(host.name);
    const details = document.getElementById(`${host.name}-details`);
    details.remove();
    row.addEventListener("click", () => {
      if (details.isConnected) details.remove();
      else row.after(details);
      row.querySelector(".disclose").setAttribute("aria-expanded", String(details.isConnected));
    });
  };

  for (const host of hosts) addHost(host);
  for (const svg of document.querySelectorAll(".kpi .spark")) {
    const points = numbers(svg);
    drawSpark(svg, 274, 40, Math.min(...points) * 0.7, Math.max(...points));
  }
  for (const svg of document.querySelectorAll(".small-spark")) drawSpark(svg, 112, 22, 0, 100);
  for (const svg of document.querySelectorAll(".bars")) drawBars(svg);

  const tick = () => {
    const time = new Date();
    const text = [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
    for (const clock of document.querySelectorAll(".time-since")) clock.textContent = text;
    setTimeout(tick, 1000 - time.getMilliseconds());
  };
  tick();
})();
