/** What is known of one model. Everything may be missing: an unknown model works too. */
export interface ModelFacts {
  /** Tokens that its window holds, prompt and answer together. */
  contextTokens?: number | undefined;
  /** What `reasoning_effort` may be; none where the model takes no such parameter. */
  reasoningEfforts?: readonly string[] | undefined;
}

/** An endpoint that is known by name. */
export interface Preset {
  baseURL: string;
  /** The variable of its key; undefined where it asks for none. */
  apiKeyEnv: string | undefined;
  models: Readonly<Record<string, ModelFacts>>;
}

const GPT_5: ModelFacts = {
  contextTokens: 400_000,
  reasoningEfforts: ['minimal', 'low', 'medium', 'high'],
};
const GPT_4_1: ModelFacts = { contextTokens: 1_047_576, reasoningEfforts: [] };
const DEEPSEEK: ModelFacts = { contextTokens: 128_000, reasoningEfforts: [] };

/** The endpoints that need no configuration but a key. */
export const PRESETS: Readonly<Record<string, Preset>> = {
  openai: {
    baseURL: 'https://api.openai.com/v1',
    apiKeyEnv: 'OPENAI_API_KEY',
    models: {
      'gpt-5': GPT_5,
      'gpt-5-mini': GPT_5,
      'gpt-5-nano': GPT_5,
      'gpt-4.1': GPT_4_1,
      'gpt-4.1-mini': GPT_4_1,
    },
  },
  deepseek: {
    baseURL: 'https://api.deepseek.com/v1',
    apiKeyEnv: 'DEEPSEEK_API_KEY',
    models: { 'deepseek-chat': DEEPSEEK, 'deepseek-reasoner': DEEPSEEK },
  },
  openrouter: {
    baseURL: 'https://openrouter.ai/api/v1',
    apiKeyEnv: 'OPENROUTER_API_KEY',
    models: {},
  },
  ollama: { baseURL: 'http://localhost:11434/v1', apiKeyEnv: undefined, models: {} },
};

/** What may be tried on a model nobody knows anything about. */
export const USUAL_EFFORTS: readonly string[] = ['minimal', 'low', 'medium', 'high'];
