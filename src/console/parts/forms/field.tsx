/** Fields of a form that show what holds if they are left empty; and boxes to tick. */
import { labelOf } from "../../text/labels.ts";

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string | number | null | undefined;
  /** What holds if it is left empty, or an example. */
  readonly usual?: string | number;
  /** A whole number. */
  readonly whole?: true;
  readonly required?: boolean;
  readonly maxLength?: number;
}

export function Field({ label, value, usual, whole, ...rest }: FieldProps) {
  const shown = usual === undefined ? undefined : String(usual);
  const same = { ...rest, defaultValue: value ?? undefined, placeholder: shown };
  return (
    <label>
      {label}
      <input {...same} {...(whole ? { inputMode: "numeric", pattern: "[0-9]+" } : {})} />
    </label>
  );
}

interface ChoiceProps extends FieldProps {
  readonly of: readonly string[];
}

export function Choice({ label, name, value, of, usual }: ChoiceProps) {
  return (
    <label>
      {label}
      <select name={name}>
        <option value="">{usual === undefined ? "" : `${usual} (default)`}</option>
        {of.map((one) => (
          <option key={one} value={one} selected={one === value}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}

interface TicksProps {
  readonly label: string;
  readonly name: string;
  readonly of: readonly string[];
  readonly ticked: (value: string) => boolean;
}

/** Any of some values, each in words. */
export function Ticks({ label, name, of, ticked }: TicksProps) {
  return (
    <fieldset>
      <legend>{label}</legend>
      {of.map((one) => (
        <label class="choice" key={one}>
          <input type="checkbox" name={name} value={one} defaultChecked={ticked(one)} /> {labelOf(one)}
        </label>
      ))}
    </fieldset>
  );
}
