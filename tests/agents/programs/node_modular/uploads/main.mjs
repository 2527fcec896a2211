import drive from '../drive.cjs';
import {receive} from './upload.mjs';

drive(() => receive(8192));
