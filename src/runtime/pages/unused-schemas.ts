/**
 * Lets a bundler leave out what nobody reads of modules that only define things, such as those of `src/api`: it cannot
 * know that reading a member, as in `...record.entries`, does nothing else.
 */

/** A definition at the beginning of a line, up to the line that is followed by another one. */
const definition = /^((?:export )?const )(\w+(?:: [^=\n]+)?|\{[^}=]*\}) = ([\s\S]*?);\n(?=\n*(?:\S|$))/gm;
const isFunction = /^(?:async )?(?:<|\w+ =>|function\b|\([^)]*\)[^\n]* =>)/;
/** Reads a member, other than of the library, or calls what the bundler does not know. */
const reads = /\.\.\.|(?:\b(?!v\.)\w+|[\])])\.[a-zA-Z]|\bnew |(?<![.\w]|PURE__ \*\/ )[a-z]\w*\(/;

/** @param source what it defines must have no effect but to be defined. @returns the same, each definition by itself */
export function shakeable(source: string): string {
  return source.replace(definition, (whole: string, start: string, name: string, value: string) => {
    if (name.startsWith("{")) return members(start, name.slice(1, -1), value);
    return isFunction.test(value) || !reads.test(value) ? whole : `${start}${name} = ${alone(value)};\n`;
  });
}

/** Called at once, which may be left out. */
const alone = (value: string) => `/* @__PURE__ */ (() => (${value}))()`;

/** `const { a, b: c, ...rest } = from` as one definition for each. */
function members(start: string, pattern: string, from: string): string {
  const taken = pattern
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  return taken
    .map((one) => {
      const [member = "", name = member] = one.split(/: */);
      if (!one.startsWith("...")) return `${start}${name} = ${alone(`${from}.${member}`)};\n`;
      const others = taken.filter((other) => other !== one);
      return `${start}${one.slice(3)} = ${alone(`(({ ${others.join(", ")}, ${one} }) => ${one.slice(3)})(${from})`)};\n`;
    })
    .join("");
}
