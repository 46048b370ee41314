/** The keys of dictionaries that were read with the same keys in the same order, kept once for all of them. */

/** Dictionaries with more keys use a Map of their own. */
export const MAX_SHAPED_KEYS = 24;

export class Shape {
  /** The step to a longer shape that was taken last: the next dictionary most often takes it too. */
  lastKey: string | undefined;
  lastShape: Shape | undefined;
  private steps: Map<string, Shape> | undefined;
  private positions: Map<string, number> | undefined;
  /** The shapes that lack one key, by its place. */
  shorter: (Shape | undefined)[] | undefined;
  constructor(
    readonly names: readonly string[],
    /** The tree of shapes that this one was grown in. */
    readonly growth?: Growth,
  ) {}

  indexOf(name: string): number | undefined {
    this.positions ??= new Map(this.names.map((one, i) => [one, i]));
    return this.positions.get(name);
  }

  /** The shape with one more key, which must be new. */
  with(name: string): Shape {
    if (this.lastKey === name && this.lastShape !== undefined) return this.lastShape;
    this.steps ??= new Map();
    let next = this.steps.get(name);
    if (next === undefined) {
      next = new Shape([...this.names, name], this.growth);
      this.steps.set(name, next);
    }
    this.lastKey = name;
    this.lastShape = next;
    return next;
  }
}

/** Where an attribute was found last: a place in a template meets dictionaries of one shape most of the time. */
export interface Site {
  shape: Shape | undefined;
  index: number;
}

export function newSite(): Site {
  return { shape: undefined, index: -1 };
}

/** Shapes of the dictionaries that are filled key by key, most of which are filled alike. */
export class Growth {
  private root = new Shape([], this);
  private count = 0;

  /** @param most shapes; beyond, the tree begins anew: keys that never come again must not pile up. */
  constructor(private readonly most: number) {}

  get empty(): Shape {
    return this.root;
  }

  /** The shape with one more key, which must be new; undefined: the dictionary is better off with a Map. */
  grown(shape: Shape, name: string): Shape | undefined {
    if (shape.growth !== this || shape.names.length >= MAX_SHAPED_KEYS) return undefined;
    if (++this.count > this.most) {
      this.root = new Shape([], this);
      this.count = 0;
      return undefined;
    }
    return shape.with(name);
  }

  /** The shape without the key at that place; undefined as above. */
  without(shape: Shape, index: number): Shape | undefined {
    const known = shape.shorter?.[index];
    if (known !== undefined) return known;
    let made: Shape | undefined = this.root;
    for (let i = 0; i < shape.names.length && made !== undefined; i++)
      if (i !== index) made = this.grown(made, shape.names[i] ?? "");
    if (made === undefined) return undefined;
    shape.shorter ??= [];
    shape.shorter[index] = made;
    return made;
  }
}
