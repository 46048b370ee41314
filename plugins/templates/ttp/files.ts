/** Where a template finds other texts: the library behind `ttp://`, the template roots behind everything else. */
export interface Files {
  /** `undefined`: there is no such file. */
  read(path: string): string | undefined;
  /** Names of the files in a folder, in order; `undefined`: no such folder. */
  list(path: string): readonly string[] | undefined;
}

/** No folders are listed; what was read is remembered, to see later whether it is still the same. */
export function rememberedFiles(read: Files["read"]): { files: Files; current(): boolean } {
  const seen = new Map<string, string | undefined>();
  const files: Files = {
    read(path) {
      const text = read(path);
      seen.set(path, text);
      return text;
    },
    list: () => undefined,
  };
  return { files, current: () => [...seen].every(([path, text]) => read(path) === text) };
}

export type Datum =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly path: string; readonly text: string };

/** A folder gives all its files, a file itself; `undefined`: neither is there. */
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
