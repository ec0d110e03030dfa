# Copyright 2026 pkm_identification maintainers
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
# Unless required by applicable law or agreed to in writing, software distributed under the License is
# distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See
# the License for the specific language governing permissions and limitations under the License.

"""Oh 2003: Y. H. Oh, Dynamic parameter identification of parallel kinematic machines, University of Florida, 2003.

A folder for each chapter that holds numbers: what the text gives and how the data are made (`data`), what is run
(`runs`), the text's statements beside ours with a verdict computed in each run (`findings`), `tables` and `figures`,
and `study`, which makes text and JSON of them. The text is only partly legible: its numbers carry marks of how certain
they are read, S sure, P probable, G guess. Nothing outside `reproduction` and `commands` imports from here.
"""
