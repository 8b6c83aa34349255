/** Tiles of one head's map: asked for when seen, a few at a time, kept for a while, cancelled when scrolled away. */
import { api, type CellPooling, type LayerInfo } from "../../api";
import { pixels, type Shade } from "../../scene/shade";

export const TILE = 256;
const KEPT = 240;
const AT_ONCE = 6;
const BUDGET = 8; // milliseconds of a frame in which tiles are painted
const SETTLED = 90; // milliseconds without a change of level, before tiles of a new one are asked for

export interface MapTile {
  level: number;
  row: number;
  column: number;
  rows: number;
  columns: number;
  largest: number;
  numbers: Float32Array;
}

interface PaintedTile {
  key: string;
  canvas: HTMLCanvasElement;
}

export interface TileRequest {
  level: number;
  row: number;
  column: number;
}

export interface StrongCell {
  row: number;
  column: number;
  number: number;
}

const tileName = ({ level, row, column }: TileRequest): string => `${level}/${row}/${column}`;

/** What one head of one run looks like, as far as it is known. */
export class Atlas {
  private tiles = new Map<string, MapTile>();
  private painted = new WeakMap<MapTile, PaintedTile>();
  private pending = new Map<string, AbortController>();
  private queue: TileRequest[] = [];
  private failed = new Set<string>();
  private restless = new WeakMap<MapTile, number>();
  private level = -1;
  private settles = 0;
  private until = Number.POSITIVE_INFINITY;
  /** Whether the last picture has tiles that wait to be painted. */
  isBehind = false;
  problem: unknown = null;

  constructor(
    readonly run: string,
    readonly layer: LayerInfo,
    readonly head: number,
    readonly how: CellPooling,
    private readonly sinks: number[],
    private readonly changed: () => void,
  ) {}

  get waiting(): number {
    return this.pending.size + this.queue.length;
  }

  tile(need: TileRequest): MapTile | undefined {
    return this.tiles.get(tileName(need));
  }

  /** The tiles that are wanted now, the most important first; others that are under way are cancelled. */
  want(needs: TileRequest[]): void {
    const needed = new Set(needs.map(tileName));
    for (const [name, stop] of this.pending) {
      if (needed.has(name)) continue;
      this.pending.delete(name); // wanted again before the network knows, it is asked for again
      stop.abort();
    }
    this.queue = needs.filter((need) => {
      const name = tileName(need);
      const tile = this.tiles.get(name);
      if (tile) {
        this.tiles.delete(name); // used again: now the youngest
        this.tiles.set(name, tile);
      }
      return !tile && !this.pending.has(name) && !this.failed.has(name);
    });
    const level = needs.at(-1)?.level ?? -1;
    const isNew = this.level !== -1 && level !== this.level; // a zoom through many levels asks for none on its way
    this.level = level;
    if (isNew) {
      clearTimeout(this.settles);
      this.settles = window.setTimeout(() => {
        this.settles = 0;
        this.next();
      }, SETTLED);
    } else if (!this.settles) this.next();
  }

  close(): void {
    clearTimeout(this.settles);
    this.queue = [];
    for (const stop of this.pending.values()) stop.abort();
  }

  private next(): void {
    while (this.pending.size < AT_ONCE && this.queue.length) void this.fetch(this.queue.shift()!);
  }

  private async fetch(need: TileRequest): Promise<void> {
    const name = tileName(need);
    const stop = new AbortController();
    this.pending.set(name, stop);
    try {
      const query = { layer: this.layer.name, head: this.head, how: this.how, ...need };
      const { head, numbers } = await api.tile(this.run, query, stop.signal);
      this.tiles.set(name, { ...need, rows: head.rows, columns: head.columns, largest: head.largest, numbers });
      for (const old of this.tiles.keys()) {
        if (this.tiles.size <= KEPT) break;
        if (old !== tileName({ level: this.layer.levels - 1, row: 0, column: 0 })) this.tiles.delete(old);
      }
    } catch (problem) {
      if (!stop.signal.aborted) {
        this.problem = problem;
        this.failed.add(name); // not asked again: the view says what happened
      }
    } finally {
      if (this.pending.get(name) === stop) this.pending.delete(name);
      if (!this.settles) this.next();
      if (!stop.signal.aborted) this.changed();
    }
  }

  /** What is known of one weight: itself, or the cell of a coarser level that holds it. */
  value(row: number, column: number, level: number): { number: number; cell: number } | null {
    for (let step = level; step < this.layer.levels; step++) {
      const cell = 2 ** step;
      const [y, x] = [Math.floor(row / cell), Math.floor(column / cell)];
      const tile = this.tile({ level: step, row: Math.floor(y / TILE), column: Math.floor(x / TILE) });
      const number = tile?.numbers[(y % TILE) * tile.columns + (x % TILE)];
      if (number !== undefined) return { number, cell };
    }
    return null;
  }

  /** The largest cells of some tiles, at weights that begin with (row, column); one pass, `most` cells in hand. */
  strongest(tiles: MapTile[], least: number, most: number): StrongCell[] {
    const best: StrongCell[] = [];
    let bar = least;
    const keep = () => {
      best.sort((cell, other) => other.number - cell.number);
      best.length = Math.min(best.length, most);
      if (best.length === most) bar = best[most - 1]!.number;
    };
    for (const tile of [...tiles].sort((one, other) => other.largest - one.largest)) {
      const { numbers, columns, level } = tile;
      if (best.length >= most) keep();
      if (tile.largest <= bar) break; // none of the others has a larger one either
      for (let index = 0; index < numbers.length; index++) {
        const number = numbers[index]!;
        if (!(number > bar)) continue;
        best.push({
          row: (tile.row * TILE + Math.floor(index / columns)) * 2 ** level,
          column: (tile.column * TILE + (index % columns)) * 2 ** level,
          number,
        });
        if (best.length >= 4 * most) keep();
      }
    }
    keep();
    return best;
  }

  /** Whether a cell of a level holds a key that heads rest on. */
  rests(level: number, column: number): boolean {
    const cell = 2 ** level;
    return this.sinks.some((key) => key >= column * cell && key < (column + 1) * cell);
  }

  /** The largest weight of a tile, without the sinks where those are left out. */
  largest(tile: MapTile, sinkless: boolean): number {
    if (!sinkless) return tile.largest;
    const known = this.restless.get(tile);
    if (known !== undefined) return known;
    let most = 0;
    for (let column = 0; column < tile.columns; column++) {
      if (this.rests(tile.level, tile.column * TILE + column)) continue;
      for (let row = 0; row < tile.rows; row++) most = Math.max(most, tile.numbers[row * tile.columns + column]!);
    }
    this.restless.set(tile, most);
    return most;
  }

  /** A new picture: from now on tiles are painted for so many milliseconds, and what is then left over later. */
  begin(budget = BUDGET): void {
    this.until = performance.now() + budget;
    this.isBehind = false;
  }

  /** The tile as pixels; where there is no time left, as it was painted last, or not at all. */
  canvas(tile: MapTile, shade: Shade): HTMLCanvasElement | null {
    const key = `${shade.scale}${shade.top}${shade.theme}`;
    const painted = this.painted.get(tile);
    if (painted?.key === key) return painted.canvas;
    if (performance.now() > this.until) {
      this.isBehind = true;
      return painted?.canvas ?? null;
    }
    const leftOut =
      shade.scale === "sinkless" ? (column: number) => this.rests(tile.level, tile.column * TILE + column) : undefined;
    const canvas = pixels(tile.numbers, tile.rows, tile.columns, shade, leftOut, painted?.canvas);
    this.painted.set(tile, { key, canvas });
    return canvas;
  }
}
