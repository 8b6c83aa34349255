/** Why: what makes one token look at another, told in a sentence, then dimension by dimension and block by block. */
import { useMemo } from "preact/hooks";
import { go, setMore, moreText } from "../../address";
import { api, type ScoreDetail, type LayerInfo, type SoftmaxRow, type RunPayload } from "../../api";
import { useQuery } from "../../parts/query";
import { Choice } from "../../parts/choice";
import { Figure } from "../../parts/figure";
import { DifferenceLegend } from "../../parts/legend";
import { SvgPicture } from "../../parts/picture";
import { Failed, NoRun, Waiting } from "../../parts/states";
import { useWidth } from "../../parts/width";
import { python } from "../../python";
import { barScene } from "../../scene/bars";
import { long, short, plainly, visible } from "../../scene/signs";
import { columnOf, columnText, rowOf, rowText, spotOfColumn, spotOfRow } from "../../sides";
import { head, pins, layer, pointerText, run, savedNote } from "../../store";
import { palette } from "../../theme";
import { apart, productScene, type Order } from "./scene";
import { Writers } from "./writers";

const MOST = 400;

/** The pair that is spoken of: from the pinned tokens, else the last token and what it looks at most. */
function chosenPair(shown: RunPayload, here: LayerInfo): { row: number; column: number | null } {
  const rows = pins.value.flatMap((spot) => rowOf(shown, here, spot) ?? []);
  const columns = pins.value.flatMap((spot) => columnOf(shown, here, spot) ?? []);
  if (here.rows === here.columns) {
    const row = rows.at(-2) ?? rows.at(-1) ?? here.queries - 1;
    return { row, column: rows.length > 1 ? rows.at(-1)! : null };
  }
  return { row: rows.at(-1) ?? Math.min(1, here.queries - 1), column: columns.at(-1) ?? null };
}

/** The same in words: how much, in which place among the others, and what most of the score comes from. */
function reason(pair: ScoreDetail, row: SoftmaxRow, from: string, to: string): string {
  if (!pair.is_allowed) return `“${from}” may not look at “${to}”: the mask forbids it.`;
  const place = row.top.findIndex((key) => key.column === pair.column);
  const rank = place === 0 ? "more than anything else" : place > 0 ? `its number ${place + 1}` : "one of many";
  const sorted = [...pair.products].sort((one, other) => Math.abs(other) - Math.abs(one));
  const total = pair.products.reduce((sum, value) => sum + Math.abs(value), 0);
  let [count, sum] = [0, 0];
  while (count < sorted.length && sum < total / 2) sum += Math.abs(sorted[count++]!);
  const dimensions = pair.products.length
    ? ` Half of what decides that lies in ${count} of ${pair.products.length} dimensions.`
    : "";
  return `“${from}” gives “${to}” ${short(100 * pair.weight, 0)}% of its look, ${rank}.${dimensions}`;
}

function Sum({ pair, row }: { pair: ScoreDetail; row: SoftmaxRow }) {
  const parts = [
    pair.kind === "Additive"
      ? `Σ v tanh(q + k) = ${short(pair.content, 3)}`
      : `q · k${pair.scale !== null && pair.scale !== 1 ? ` × ${short(pair.scale, 3)}` : ""} = ${short(pair.content, 3)}`,
    ...apart(pair).map(([name, value]) => `${name} ${short(value, 3)}`),
    ...(pair.inverse_temperature !== 1 ? [`× ${short(pair.inverse_temperature, 3)} (temperature)`] : []),
  ];
  return (
    <p class="equation" data-equation>
      {pair.is_allowed && pair.score !== null && pair.logsumexp !== null ? (
        <>
          {parts.join(" + ")} &nbsp;→&nbsp; score <b>{short(pair.score, 3)}</b> &nbsp;→&nbsp; exp({short(pair.score, 3)}{" "}
          − {short(pair.logsumexp, 3)}) = <b>{short(pair.weight, 3)}</b>
        </>
      ) : (
        <>The mask forbids this pair: its weight is exactly 0.</>
      )}
      <span class="faint">
        {" "}
        &nbsp; its look is spread as wide as over {short(Math.exp(row.entropy), 1)} tokens (entropy {short(row.entropy)}{" "}
        nats)
      </span>
    </p>
  );
}

export function PairView() {
  const shown = run.value;
  const here = layer.value;
  const [box, width] = useWidth();
  const number = head.value;
  const chosen = shown && here ? chosenPair(shown, here) : null;
  const order: Order = moreText("order") === "size" ? "size" : "index";
  const { answer, problem, late } = useQuery(
    shown &&
      here &&
      chosen &&
      (async (signal) => {
        const row = await api.row(shown.id, { layer: here.name, head: number, row: chosen.row, top: 16 }, signal);
        const column = chosen.column ?? row.top[0]?.column ?? 0;
        return {
          row,
          pair: await api.pair(shown.id, { layer: here.name, head: number, row: chosen.row, column }, signal),
        };
      }),
    [shown?.id, here?.name, number, chosen?.row, chosen?.column],
  );
  const colours = palette.value;
  const products = useMemo(
    () =>
      answer &&
      productScene(answer.pair, order, Math.max(280, width - 40), colours, (line) => (pointerText.value = line)),
    [answer, order, width, colours],
  );
  if (!shown || !here || !chosen) return <NoRun>Run a text: this view then takes one query and one key apart.</NoRun>;
  const choose = (row: number, column: number) =>
    go({ pins: [spotOfRow(shown, here, row), spotOfColumn(shown, here, column)] });
  const pick = (
    label: string,
    count: number,
    value: number,
    text: (index: number) => string,
    set: (index: number) => void,
  ) => (
    <label>
      {label}
      {count <= MOST ? (
        <select
          value={value}
          aria-label={label}
          class="mono"
          onChange={(event) => set(Number(event.currentTarget.value))}
        >
          {Array.from({ length: count }, (_, index) => (
            <option key={index} value={index}>
              {index} {visible(text(index))}
            </option>
          ))}
        </select>
      ) : (
        <input
          type="number"
          min={0}
          max={count - 1}
          value={value}
          aria-label={label}
          onChange={(event) => set(Math.max(0, Math.min(count - 1, Number(event.currentTarget.value))))}
        />
      )}
    </label>
  );
  const column = answer?.pair.column ?? chosen.column ?? 0;
  return (
    <div class="stack" ref={box}>
      <div class="row controls">
        {pick(
          "Query",
          here.queries,
          chosen.row,
          (index) => rowText(shown, here, index),
          (index) => choose(index, column),
        )}
        {pick(
          "Key",
          here.keys,
          column,
          (index) => columnText(shown, here, index),
          (index) => choose(chosen.row, index),
        )}
      </div>
      {problem && <Failed line={problem} />}
      {!answer && !problem && <Waiting line="Waiting for the query and the key …" />}
      {answer && products && (
        <>
          <p class="why" data-why>
            {reason(
              answer.pair,
              answer.row,
              plainly(rowText(shown, here, answer.pair.row)),
              plainly(columnText(shown, here, column)),
            )}
          </p>
          <Sum {...answer} />
          <div class="card">
            <Figure
              title={`“${plainly(rowText(shown, here, answer.pair.row))}” looks at “${plainly(columnText(shown, here, column))}”: the product per dimension`}
              of={[answer, order]}
              first
              late={late}
              legend={
                <div class="row">
                  <DifferenceLegend
                    most={Math.max(...answer.pair.query.map(Math.abs), ...answer.pair.key.map(Math.abs))}
                  />
                  <Choice<Order>
                    label="Order of the dimensions"
                    value={order}
                    choose={(value) => setMore({ order: value === "size" ? "size" : "" })}
                    options={[
                      ["index", "in order"],
                      ["size", "largest first"],
                    ]}
                  />
                </div>
              }
              make={() => ({
                title: `${here.name} head ${number}: query ${answer.pair.row}, key ${column}`,
                scene: products,
                python: python([
                  `query, key = pattern.query[0, ${number}, ${answer.pair.row}], pattern.key[0, ${number}, ${column}]`,
                  "print(query * key)  # the score is their sum, scaled",
                  `print(pattern[0, ${number}, ${answer.pair.row}, ${column}])`,
                ]),
                table: {
                  caption: "what each dimension adds to the score",
                  columns: ["dimension", "query", "key", "product, scaled"],
                  rows: answer.pair.products.map((product, index) => [
                    index,
                    answer.pair.query[index]!,
                    answer.pair.key[index]!,
                    product,
                  ]),
                },
              })}
            >
              <SvgPicture scene={products} label="products per dimension" />
            </Figure>
          </div>
          {!savedNote.value && (
            <Writers shown={shown} here={here} head={number} row={answer.pair.row} column={column} width={width} />
          )}
          <Softmax
            shown={shown}
            here={here}
            row={answer.row}
            late={late}
            column={column}
            choose={(next) => choose(chosen.row, next)}
          />
        </>
      )}
    </div>
  );
}

function Softmax({
  shown,
  here,
  row,
  late,
  column,
  choose,
}: {
  shown: RunPayload;
  here: LayerInfo;
  row: SoftmaxRow;
  late: boolean;
  column: number;
  choose: (column: number) => void;
}) {
  const all = row.weights.length > 0 && row.weights.length <= 48;
  const keys = all ? row.weights.map((weight, index) => ({ column: index, weight })) : row.top;
  const bars = keys.map((key) => ({
    name: visible(columnText(shown, here, key.column)),
    value: key.weight,
    strong: key.column === column,
    title: `${visible(columnText(shown, here, key.column))}: ${long(key.weight)}`,
    touch: { press: () => choose(key.column) },
  }));
  const scene = barScene(bars, palette.value, { width: 520, digits: 3 });
  const title = `The softmax row of “${plainly(rowText(shown, here, row.row))}”${all ? "" : `: the ${keys.length} largest of ${row.keys}`}`;
  return (
    <div class="card">
      <Figure
        title={title}
        of={[row]}
        late={late}
        make={() => ({
          title,
          scene,
          python: python([`print(pattern[0, ${row.head}, ${row.row}])`]),
          table: {
            caption: title,
            columns: ["column", "token", "weight"],
            rows: (row.weights.length ? row.weights.map((weight, index) => ({ column: index, weight })) : row.top).map(
              (key) => [key.column, visible(columnText(shown, here, key.column)), key.weight],
            ),
          },
        })}
      >
        <SvgPicture scene={scene} label={title} />
      </Figure>
    </div>
  );
}
