import { describe, expect, it } from "vitest";
import { choiceFiles } from "../../../models/ModelChoice.tsx";
import { aboutBytes } from "../../../models/ModelChoice.tsx";
import { choiceText, indexedByText } from "./EmbedderLine.tsx";
import { FIRST_HUB, floorSentence, KNOWN_EMBEDDERS } from "./EmbedderForm.tsx";

const named = (...names: string[]) => names.map((name) => ({ name, file: new File(["x"], name) }));
const TEXTS = ["config.json", "tokenizer.json", "tokenizer_config.json"];

describe("files of a choice", () => {
  it("takes a folder with its weights, whatever else lies there", () => {
    const found = choiceFiles(
      named(
        ...TEXTS.map((name) => `bge/${name}`),
        "bge/onnx/model_quantized.onnx",
        "bge/onnx/model.onnx",
        "other/readme.md",
      ),
      "text embedder",
    );
    expect(found).toMatchObject({ name: "bge", dtypes: ["fp32", "q8"] });
    expect("files" in found && found.files.has("onnx/model.onnx")).toBe(true);
    expect("files" in found && found.files.size).toBe(5);
  });

  it("takes loose weights for those of the onnx folder, with their parts", () => {
    const found = choiceFiles(named(...TEXTS, "model_fp16.onnx", "model_fp16.onnx_data"), "text embedder");
    expect(found).toMatchObject({ name: "dropped files", dtypes: ["fp16"] });
    expect("files" in found && [...found.files.keys()].slice(-1)).toEqual(["onnx/model_fp16.onnx_data"]);
  });

  it.each([
    [["model.onnx"], /No config\.json in the 1 dropped file/],
    [["config.json", "model.onnx"], /tokenizer\.json is missing next to/],
    [["config.json", "tokenizer.json", "model.onnx"], /tokenizer_config\.json is missing next to/],
    [TEXTS, /onnx\/model\*\.onnx is missing next to/],
  ])("names the file that %j lacks", (names, problem) => {
    const found = choiceFiles(named(...names), "text embedder");
    expect("problem" in found && found.problem).toMatch(problem);
  });
});

describe("an embedder in words", () => {
  it("is its name and weights, or the model itself", () => {
    expect(choiceText(FIRST_HUB)).toBe("Xenova/bge-small-en-v1.5 (q8)");
    expect(indexedByText("mean-pooled hidden states")).toBe("the model itself");
    expect(indexedByText("transformers.js a/b@v2 (cls)")).toBe("a/b at v2 (fp32)");
    expect(indexedByText("none")).toBe("“none”");
  });

  it("states the threshold, or why there is none yet", () => {
    const floor = (denseFloor: number | null) => floorSentence({ name: "", denseFloor });
    expect(floor(0.617)).toContain("a cosine of 0.62");
    expect(floor(2)).toContain("cannot separate half of the test pairs");
    expect(floor(null)).toContain("first text");
  });

  it("is offered with a size where the weights tell it", () => {
    const bge = KNOWN_EMBEDDERS.find(({ repo }) => repo.endsWith("bge-small-en-v1.5"))!;
    expect(aboutBytes(bge, "q8")).toBeCloseTo(33.4e6);
    expect(aboutBytes(bge, "q4")).toBeNull();
  });
});
