/** A template engine: `%{name}` is replaced by the value from the context, `%%` is a percent sign. */
import { defineTemplateEngine, TemplateError, v } from "patchbay/plugin";

export default defineTemplateEngine({
  name: "shout",
  version: "1.0.0",
  does: "render",
  settings: v.object({ loud: v.optional(v.boolean(), true) }),
  args: v.object({ missing: v.optional(v.picklist(["error", "empty"]), "error") }),
  detects: (source) => /%\{\w+\}/.test(source),

  compile(source, { missing }, { settings, limits }) {
    const parts = source.split("\n").map((text, at) => partsOf(text, at + 1));
    return {
      run(contextJson) {
        const context = v.parse(v.record(v.string(), v.unknown()), JSON.parse(contextJson));
        const lines = parts.map((line, at) => line.map((part) => textOf(part, context, at + 1)).join(""));
        const text = lines.join("\n");
        if (text.length > limits.outputChars)
          throw new TemplateError("TemplateLimit", "The text is too long.");
        return text;
      },
    };

    function textOf(part: Part, context: Record<string, unknown>, line: number): string {
      if ("text" in part) return part.text;
      const value = context[part.field];
      if (value === undefined && missing === "error")
        throw new TemplateError("TemplateRuntime", `The context has no field "${part.field}".`, { line });
      const text = value === undefined ? "" : String(value);
      return settings.loud ? text.toUpperCase() : text;
    }
  },
});

type Part = { text: string } | { field: string };

/** @throws TemplateError TemplateSyntax with the line */
function partsOf(text: string, line: number): Part[] {
  return text.split(/(%%|%\{[^}]*\}?|%)/).map((piece) => {
    if (piece === "%%") return { text: "%" };
    const field = /^%\{(\w+)\}$/.exec(piece)?.[1];
    if (field !== undefined) return { field };
    if (!piece.startsWith("%")) return { text: piece };
    throw new TemplateError(
      "TemplateSyntax",
      `"${piece}" is not a field: write %{name}, or %% for a percent sign.`,
      {
        line,
      },
    );
  });
}
