/** `lipsum()`: random paragraphs of filler text. */

import {
  type Callable,
  Markup,
  needInt,
  signature,
  titleCase,
  truth,
  valueError,
} from "../../python/index.ts";

const WORDS =
  "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua enim minim veniam quis nostrud exercitation ullamco laboris nisi aliquip ex ea commodo consequat duis aute irure in reprehenderit voluptate velit esse cillum fugiat nulla pariatur excepteur sint occaecat cupidatat non proident sunt culpa qui officia deserunt mollit anim id est laborum".split(
    " ",
  );

const bind = signature("generate_lorem_ipsum", ["n?", "html?", "min?", "max?"]);

function below(end: number): number {
  return Math.floor(Math.random() * end);
}

function paragraph(count: number): string {
  const sentences: string[] = [];
  for (let remaining = count; remaining > 0; ) {
    const size = Math.min(remaining, 8 + below(10));
    const words = Array.from({ length: size }, () => WORDS[below(WORDS.length)] ?? "lorem");
    const comma = 3 + below(5);
    const text = words.map((word, i) => (i === comma && i < size - 1 ? `${word},` : word)).join(" ");
    sentences.push(`${titleCase(text.slice(0, 1))}${text.slice(1)}.`);
    remaining -= size;
  }
  return sentences.join(" ");
}

export const lipsum: Callable = (args, kwargs, meter) => {
  const [n, html = true, min, max] = bind(args, kwargs);
  const count = Math.max(0, needInt(n, 5));
  const least = needInt(min, 20);
  const upper = needInt(max, 100);
  if (least < 0 || upper <= least) throw valueError("empty range for the number of words");
  meter.items(count * upper);
  const paragraphs = Array.from({ length: count }, () => paragraph(least + below(upper - least)));
  if (!truth(html)) return paragraphs.join("\n\n");
  return new Markup(paragraphs.map((text) => `<p>${text}</p>`).join("\n"));
};
