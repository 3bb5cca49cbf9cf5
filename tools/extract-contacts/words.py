"""Word lists behind the finding of names. All folded; none is complete, each earns its place by what it prevents."""

from __future__ import annotations

GIVEN_NAMES = frozenset(
    """
    aaron abdul adam adrian agnes ahmed aisha alan albert alejandro alex alexander alexandra alexei ali alice alicia
    alina amal amanda amelia amina amir amy ana anders andre andrea andreas andrew angela anita anja ann anna anne
    annette annika anthony antonio anya arjun arthur astrid ayesha barbara beatrice ben benjamin bernard bernd beth
    birgit bjorn bob brian bruno camille carl carla carlos carmen caroline catherine cecilia charles charlotte chen
    chiara chris christian christina christine christoph christopher claire clara claudia claus craig cristina daniel
    daniela daniele david deborah denis dennis diana diego dieter dirk dmitri dominik donald dorothy edward elena
    eleanor elias elisa elizabeth ella ellen emily emma emre eric erik ernst esther eva fabian fatima felix fernando
    fiona florian frances francesca francesco francisco frank franz frederik friedrich gabriel gabriela george gerard
    gerhard giovanni giulia giuseppe grace greta guillaume gustav hanna hannah hans harold harry hassan heather heidi
    heike heinrich helen helena helga henrik henry hiroshi hugo ian ibrahim igor ines ingrid irina isabel isabella
    ivan jack jacob jakob james jan jane janet jasmin javier jean jeff jennifer jens jessica jim joachim joan joao
    joe johan johanna johannes john jonas jonathan jose josef joseph juan judith julia julian julie juliette jun
    jurgen karen karin karl katarina kate katharina katherine kathrin katja keiko keith kelly ken kenji kevin khalid
    klaus kristin kurt larry lars laura lauren laurent lea leila lena leo leon leonardo linda lisa lorenzo louis
    louise luca lucas lucia lucy luis luisa lukas magdalena mahmoud manfred manuel marc marcel marco margaret maria
    marie marina mario marion mark markus marta martha martin martina mary mateo mathias matteo matthew matthias max
    maya mehmet mei melanie michael michel michelle miguel mike mikhail milan miriam mohamed mohammed monica monika
    nadia nancy naomi natalia natalie natasha nathan nicholas nick nicola nicolas nicole niels nina noah nora nuria
    olaf oleg olga oliver olivia omar oscar otto pablo pamela paolo patricia patrick paul paula pedro peter petra
    philip philipp pierre pietro priya rachel rafael rahul raj ralf ramon rania raphael raul ravi rebecca renate
    ricardo richard rita robert roberto robin roger roland rosa ruth ryan sabine sabrina sakura salma sam samantha
    samuel sandra sara sarah sean sebastian sergei sergio shirley silvia simon simone sofia sonia sophia sophie stefan
    stefanie stella stephan stephanie stephen steve steven sunita susan susanne sven svetlana sylvia tanja tanya tatiana
    teresa theo theresa thomas tim timothy tobias tom tomas torsten ulrich ulrike ursula uwe valentina valerie vanessa
    vera veronica victor victoria viktor vincent virginia vladimir walter wei werner wilhelm william wolfgang xavier
    yasmin yolanda yuki yuri yusuf yvonne zahra zoe
    """.split()
)

TITLES = frozenset(
    "mr mrs ms miss mx dr prof professor sir dame lady herr herrn frau señor señora monsieur madame mme mlle signor "
    "signora ing dipl-ing".split()
)
"""What makes the capitalised words after it a name, even a single one."""

PARTICLES = frozenset("von van der den de del della di da dos du la le al el bin ibn ben ter ten zu zum af av".split())
"""Small words inside a name."""

NAMINGS = ("name is", "name:", "attn:", "c/o", "ich heiße", "name ist", "je m'appelle", "me llamo")
"""What only a name can follow, even a single unknown word."""

INTRODUCTIONS = ("i am", "i'm", "this is", "ich bin", "contact:", "from:", "to:", "cc:", "von:", "an:")
"""What a name often follows: two words or more, or one that is known."""

CLOSINGS = (
    "regards",
    "best",
    "best wishes",
    "kind regards",
    "best regards",
    "warm regards",
    "many thanks",
    "thanks",
    "thank you",
    "cheers",
    "sincerely",
    "yours sincerely",
    "yours",
    "mit freundlichen grüßen",
    "viele grüße",
    "beste grüße",
    "cordialement",
    "saludos",
)
"""Lines after which a signature stands."""

NOT_NAMES = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april june july august september
    october november december montag dienstag mittwoch donnerstag freitag samstag sonntag
    the a an and or but if in on at by for with from to of as is are was this that these those there here it its we you
    he she they i my your his her our their who what when where why how please thanks thank hello hi hey dear call
    contact email mail e-mail phone tel telephone mobile fax web website ask meet met see visit write regards best kind
    warm sincerely cheers yours subject date sent re fwd attn cc bcc name address street st avenue ave road rd lane
    boulevard blvd square plaza park bridge station airport river lake mount mountain island bay beach north south east
    west new san los las saint city county state university college school institute hospital hotel museum gallery
    theatre theater church library bank office studio department team project group company corporation corp inc ltd
    llc gmbh ag kg plc co sa srl bv limited partners holding foundation association society club agency ministry
    committee council board union press media news times post journal magazine award prize conference summit festival
    week day month year spring summer autumn winter english german french spanish italian chinese japanese american
    british european america europe asia africa germany france spain italy england london berlin paris york ceo cto cfo
    coo director manager head lead founder president chair vice senior junior chief officer engineer designer
    architect producer editor assistant secretary treasurer sales marketing support team service customer
    info admin jobs booking welcome not no yes i'm i'll i've i'd it's that's let's don't we're you're
    here's what's who's
    """.split()
)
"""Capitalised words that end a run of names or never begin one: calendar, courtesy, places, firms, offices."""
