/** A secret value that prints as `[secret]` everywhere; only `reveal()` returns it. */

const values = new WeakMap<Secret, string>();
const inspect = Symbol.for("nodejs.util.inspect.custom");

export class Secret {
  constructor(value: string) {
    values.set(this, value);
  }

  /** The clear text. Call it only where it is used. */
  reveal(): string {
    return values.get(this) ?? "";
  }

  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect](): string {
    return "[secret]";
  }
}

export function secret(value: string): Secret {
  return new Secret(value);
}

/**
 * Replaces known secrets in a text (error messages of libraries, device output in errors). Secrets under 4 characters
 * are ignored: replacing them would mask parts of ordinary words.
 */
export function maskSecrets(text: string, secrets: Iterable<Secret | undefined>): string {
  let masked = text;
  for (const hidden of secrets) {
    const value = hidden?.reveal() ?? "";
    if (value.length >= 4) masked = masked.replaceAll(value, "[secret]");
  }
  return masked;
}
