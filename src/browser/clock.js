// Makes the page's clock stand at `NOW` (milliseconds since 1970). Timers still run: only what is read stands.
// Workers have clocks of their own and are not reached.
((NOW) => {
  'use strict';
  const RealDate = Date;
  const now = () => NOW;
  const FixedDate = new Proxy(RealDate, {
    apply: () => new RealDate(NOW).toString(),
    construct: (target, given, self) =>
      Reflect.construct(target, given.length === 0 ? [NOW] : given, self === FixedDate ? target : self),
    get: (target, key, self) => (key === 'now' ? now : Reflect.get(target, key, self)),
  });
  RealDate.prototype.constructor = FixedDate;
  globalThis.Date = FixedDate;

  const started = performance.timeOrigin;
  Object.defineProperty(Performance.prototype, 'now', { value: { now: () => 0 }.now, writable: true, configurable: true });
  if (started !== NOW) {
    Object.defineProperty(Performance.prototype, 'timeOrigin', { get: now, configurable: true });
  }
  if (globalThis.requestAnimationFrame) {
    const request = globalThis.requestAnimationFrame;
    globalThis.requestAnimationFrame = { requestAnimationFrame: (callback) => request(() => callback(0)) }
      .requestAnimationFrame;
  }

  const format = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format');
  Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', {
    ...format,
    get() { const bound = format.get.call(this); return (date) => bound(date === undefined ? NOW : date); },
  });
  const toParts = Intl.DateTimeFormat.prototype.formatToParts;
  Intl.DateTimeFormat.prototype.formatToParts = { formatToParts(date) {
    return toParts.call(this, date === undefined ? NOW : date);
  } }.formatToParts;

  if (globalThis.Temporal) {
    const instant = () => Temporal.Instant.fromEpochMilliseconds(NOW);
    const zoned = (zone) => instant().toZonedDateTimeISO(zone ?? Temporal.Now.timeZoneId());
    Object.assign(Temporal.Now, {
      instant,
      zonedDateTimeISO: zoned,
      plainDateTimeISO: (zone) => zoned(zone).toPlainDateTime(),
      plainDateISO: (zone) => zoned(zone).toPlainDate(),
      plainTimeISO: (zone) => zoned(zone).toPlainTime(),
    });
  }
})
