/** File access of a template: the library behind `ttp://`, the template roots for all other paths. */
export interface Files {
  /** `undefined`: no such file. */
  read(path: string): string | undefined;
  /** Sorted names of the files in a folder; `undefined`: no such folder. */
  list(path: string): readonly string[] | undefined;
}

/** Remembers the files that were read, to detect changes later; folders cannot be listed. */
export function rememberedFiles(read: Files["read"]): { files: Files; current(): boolean } {
  const readTexts = new Map<string, string | undefined>();
  const files: Files = {
    read(path) {
      const text = read(path);
      readTexts.set(path, text);
      return text;
    },
    list: () => undefined,
  };
  return { files, current: () => [...readTexts].every(([path, text]) => read(path) === text) };
}

export type Datum =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly path: string; readonly text: string };

/** Reads a file, or all files of a folder; `undefined`: neither exists. */
export function findFiles(files: Files, path: string): Datum[] | undefined {
  const text = files.read(path);
  if (text !== undefined) return [{ kind: "file", path, text }];
  const names = files.list(path);
  return names?.flatMap((name) => {
    const inside = `${path.replace(/\/$/, "")}/${name}`;
    const found = files.read(inside);
    return found === undefined ? [] : [{ kind: "file", path: inside, text: found }];
  });
}
