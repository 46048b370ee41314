/** Python's datetime and timedelta: subtraction, comparison, formatting. */

import { bound, methods } from "./args.ts";
import { typeError, zeroDivision } from "./errors.ts";
import { checkedMoment, formatMoment, type Moment, pad } from "./moment.ts";
import { str } from "./repr.ts";
import { PyTime } from "./struct-time.ts";
import { type Kwargs, type Operator, PyFloat, PyFunction, PyObject, typeName, type Value } from "./values.ts";

export class PyDelta extends PyObject {
  override readonly typeName = "datetime.timedelta";
  constructor(readonly seconds: number) {
    super();
  }
  private split() {
    const days = Math.floor(this.seconds / 86_400);
    return { days, rest: this.seconds - days * 86_400 };
  }
  override str(): string {
    const { days, rest } = this.split();
    const wholeSeconds = Math.floor(rest);
    const micro = Math.round((rest - wholeSeconds) * 1e6);
    const clock = `${Math.floor(wholeSeconds / 3600)}:${pad(Math.floor(wholeSeconds / 60) % 60)}:${pad(wholeSeconds % 60)}`;
    const tail = micro === 0 ? "" : `.${pad(micro, 6)}`;
    return days === 0 ? clock + tail : `${days} day${Math.abs(days) === 1 ? "" : "s"}, ${clock}${tail}`;
  }
  override repr(): string {
    const { days, rest } = this.split();
    const seconds = Math.floor(rest);
    const parts = { days, seconds, microseconds: Math.round((rest - seconds) * 1e6) };
    const fields = Object.entries(parts).flatMap(([name, value]) =>
      value === 0 ? [] : [`${name}=${value}`],
    );
    return `datetime.timedelta(${fields.join(", ") || "0"})`;
  }
  override truth(): boolean {
    return this.seconds !== 0;
  }
  override negative(): Value {
    return new PyDelta(-this.seconds);
  }
  override hash(): string {
    return `datetime.timedelta ${this.seconds}`;
  }
  override equals(other: Value): boolean {
    return other instanceof PyDelta && other.seconds === this.seconds;
  }
  override compare(other: Value): number | undefined {
    return other instanceof PyDelta ? this.seconds - other.seconds : undefined;
  }
  override binary(op: Operator, other: Value, reflected: boolean): Value | undefined {
    if (other instanceof PyDelta && op === "+") return new PyDelta(this.seconds + other.seconds);
    if (other instanceof PyDelta && op === "-") return new PyDelta(this.seconds - other.seconds);
    const number = typeof other === "number" ? other : other instanceof PyFloat ? other.value : undefined;
    if (number !== undefined && op === "*") return new PyDelta(this.rounded(this.seconds * number));
    if (reflected) return other instanceof PyDateTime ? other.binary(op, this, false) : undefined;
    if (op === "/" || op === "//" || op === "%") return this.divided(op, other, number);
    return other instanceof PyDateTime ? other.binary(op, this, !reflected) : undefined;
  }
  /** To microseconds, which is what Python keeps. */
  private rounded(seconds: number): number {
    return Math.round(seconds * 1e6) / 1e6;
  }
  private divided(op: "/" | "//" | "%", other: Value, number: number | undefined): Value | undefined {
    const by = other instanceof PyDelta ? other.seconds : number;
    if (by === undefined || (other instanceof PyFloat && op !== "/")) return undefined;
    if (!(other instanceof PyDelta) && op === "%") return undefined;
    if (by === 0) throw zeroDivision("integer division or modulo by zero");
    if (!(other instanceof PyDelta)) {
      const part = this.seconds / by;
      return new PyDelta(op === "/" ? this.rounded(part) : Math.floor(part * 1e6) / 1e6);
    }
    if (op === "/") return new PyFloat(this.seconds / by);
    const times = Math.floor(this.seconds / by);
    return op === "//" ? times : new PyDelta(this.rounded(this.seconds - times * by));
  }
  override getattr(name: string): Value | undefined {
    const { days, rest } = this.split();
    if (name === "days") return days;
    if (name === "seconds") return Math.floor(rest);
    if (name === "microseconds") return Math.round((rest - Math.floor(rest)) * 1e6);
    return name === "total_seconds" ? new PyFunction(name, () => new PyFloat(this.seconds)) : undefined;
  }
}

export class PyDateTime extends PyObject {
  override readonly typeName = "datetime.datetime";
  constructor(readonly moment: Moment) {
    super();
  }
  override str(): string {
    return formatMoment(this.fraction() ? "%Y-%m-%d %H:%M:%S.%f" : "%Y-%m-%d %H:%M:%S", this.moment);
  }
  override repr(): string {
    const date = new Date(this.moment.ms);
    const micro = date.getUTCMilliseconds() * 1000 + this.moment.micro;
    const parts = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours()];
    parts.push(date.getUTCMinutes());
    if (date.getUTCSeconds() !== 0 || micro !== 0) parts.push(date.getUTCSeconds());
    if (micro !== 0) parts.push(micro);
    return `datetime.datetime(${parts.join(", ")})`;
  }
  override hash(): string {
    return `datetime.datetime ${this.moment.ms} ${this.moment.micro}`;
  }
  private fraction(): boolean {
    return this.moment.ms % 1000 !== 0 || this.moment.micro !== 0;
  }
  override equals(other: Value): boolean {
    return other instanceof PyDateTime && this.compare(other) === 0;
  }
  override compare(other: Value): number | undefined {
    if (!(other instanceof PyDateTime)) return undefined;
    return this.moment.ms - other.moment.ms || this.moment.micro - other.moment.micro;
  }
  override binary(op: Operator, other: Value, reflected: boolean): Value | undefined {
    const { ms, micro } = this.moment;
    if (other instanceof PyDelta && (op === "+" || (op === "-" && !reflected))) {
      const sum = micro + Math.round((op === "+" ? other.seconds : -other.seconds) * 1e6);
      const carry = Math.floor(sum / 1000);
      return new PyDateTime({ ms: ms + carry, micro: sum - carry * 1000 });
    }
    if (other instanceof PyDateTime && op === "-")
      return new PyDelta(((ms - other.moment.ms) * 1000 + micro - other.moment.micro) / 1e6);
    return undefined;
  }
  override getattr(name: string): Value | undefined {
    const { moment } = this;
    const date = new Date(moment.ms);
    const field: Readonly<Record<string, number>> = {
      year: date.getUTCFullYear(),
      month: date.getUTCMonth() + 1,
      day: date.getUTCDate(),
      hour: date.getUTCHours(),
      minute: date.getUTCMinutes(),
      second: date.getUTCSeconds(),
      microsecond: date.getUTCMilliseconds() * 1000 + moment.micro,
    };
    if (Object.hasOwn(field, name)) return field[name];
    if (name === "replace") return new PyFunction(name, (args, kwargs) => replaced(field, args, kwargs));
    return bound(dateTimeMethods, this, name);
  }
}

/** @param field the parts in order. */
function replaced(
  field: Readonly<Record<string, number>>,
  args: readonly Value[],
  kwargs: Kwargs | undefined,
): Value {
  const unknown = [...(kwargs?.keys() ?? [])].find((name) => !Object.hasOwn(field, name));
  if (unknown !== undefined) throw typeError(`'${unknown}' is an invalid keyword argument for replace()`);
  const parts = Object.entries(field).map(([name, part], i) => {
    const given = args[i] ?? kwargs?.get(name) ?? part;
    if (typeof given === "number") return given;
    throw typeError(`'${typeName(given)}' object cannot be interpreted as an integer`);
  });
  return new PyDateTime(checkedMoment(parts));
}

const weekday = ({ moment }: PyDateTime): number => new Date(moment.ms).getUTCDay();

const dateTimeMethods = methods<PyDateTime>({
  "strftime(format)": ({ moment }, [format = ""], meter) => formatMoment(str(format, meter), moment),
  "isoformat(sep?)": (self, [sep = "T"], meter) => self.str().replace(" ", () => str(sep, meter)),
  "ctime()": ({ moment }) => formatMoment("%a %b %e %H:%M:%S %Y", moment),
  "timetuple()": ({ moment }) => new PyTime(moment, -1),
  "toordinal()": ({ moment }) => Math.floor(moment.ms / 86_400_000) + 719_163,
  "timestamp()": ({ moment }) => new PyFloat((moment.ms + new Date().getTimezoneOffset() * 60_000) / 1000),
  "weekday()": (self) => (weekday(self) + 6) % 7,
  "isoweekday()": (self) => weekday(self) || 7,
});
