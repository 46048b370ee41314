/** Limits the length of files and tests. */
import type { SourceFile } from "./source.ts";

// A file is what one reads together; this only stops a file from becoming several things.
const maxFileLines = 500;
const maxTestLines = 60;

export function sizeFaults(sources: readonly SourceFile[]): string[] {
  return sources.flatMap((source) => [...fileFaults(source), ...testFaults(source)]);
}

function fileFaults({ path, text }: SourceFile): string[] {
  const length = text.split("\n").length - 1;
  if (length <= maxFileLines) return [];
  return [`${path}: ${length} lines, the maximum is ${maxFileLines}: split the file`];
}

/** Relies on the formatter: the end of a test has the same indentation as its start. */
function testFaults({ path, text }: SourceFile): string[] {
  if (!path.endsWith(".test.ts")) return [];
  const lines = text.split("\n");
  return lines.flatMap((line, start) => {
    const indent = /^(\s*)(?:it|test)(?:\.\w+)*[(`<]/.exec(line)?.[1];
    if (indent === undefined) return [];
    const length = lines
      .slice(start + 1)
      .findIndex((later) => later.startsWith(indent) && /^[})]/.test(later.slice(indent.length)));
    if (length <= maxTestLines) return [];
    return [
      `${path}:${start + 1}: the body of this test has ${length} lines, the maximum is ${maxTestLines}`,
    ];
  });
}
