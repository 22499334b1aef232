#!/usr/bin/env node
import '../dist/planfold.js';
